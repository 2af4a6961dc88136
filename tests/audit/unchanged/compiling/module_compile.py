# needs: torch>=2.4
# Module.compile(), in one graph, with a loss in the model.
import torch
import torch.nn.functional as F


class WithLoss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.drop = torch.nn.Dropout(0.1)

    def forward(self, x, y):
        return F.cross_entropy(self.drop(self.layer(x)), y)


torch.manual_seed(0)
model = WithLoss()
model.compile(backend="eager", fullgraph=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(4, 3), torch.tensor([0, 1, 1, 0]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item().hex())
