# quick
# An optimizer that can be compared has no hash.
import torch


class Comparable(torch.optim.SGD):
    def __eq__(self, other):
        return type(other) is Comparable and self.defaults == other.defaults


layer = torch.nn.Linear(3, 1)
optimizer = Comparable(layer.parameters(), lr=0.1)
layer(torch.ones(2, 3)).sum().backward()
optimizer.step()
optimizer.zero_grad()
print(
    optimizer == Comparable(layer.parameters(), lr=0.1), optimizer == Comparable(layer.parameters(), lr=0.2)
)
