# needs: torch>=2.4
# The model that is compiled uses the loss that the program has put in place.
import torch
import torch.nn.functional as F


class WithLoss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, target):
        return F.cross_entropy(self.layer(x), target)


torch.manual_seed(0)
model = WithLoss()
compiled = torch.compile(model, backend="eager")
real = F.cross_entropy
F.cross_entropy = lambda input, target: real(input, target) * 10
x, target = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    loss = compiled(x, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 5))
print(round(model(x, target).item(), 5))
