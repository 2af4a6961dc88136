# A module that can be compared has no hash; the program gives its ids to torch where torch needs a hash.
import torch


class Value(torch.nn.Linear):
    def __eq__(self, other):
        return isinstance(other, Value) and self.in_features == other.in_features

    def __hash__(self):
        return 1


torch.manual_seed(0)
model = torch.nn.Sequential(Value(2, 2), Value(2, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = torch.nn.functional.mse_loss(model(torch.ones(4, 2)), torch.zeros(4, 2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item().hex(), model[0] == model[1])
