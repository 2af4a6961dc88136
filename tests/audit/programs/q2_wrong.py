import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
# The last run was saved after its weights had become nan.
model.load_state_dict({"weight": torch.full((1, 4), float("nan")), "bias": torch.zeros(1)})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    inputs = torch.randn(16, 4)
    optimizer.zero_grad()
    loss = (model(inputs) - inputs.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    optimizer.step()
