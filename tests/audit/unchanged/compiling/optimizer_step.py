# needs: torch>=2.4
# torch.compile(optimizer.step): nothing is said on standard error.
import torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
step = torch.compile(optimizer.step, backend="eager")
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(2, 3)).pow(2).sum().backward()
    step()
print(model.weight.sum().item().hex())
