# needs: dill
# An optimizer class of the program is pickled by value after it was used.
import dill
import torch

dill.settings["recurse"] = True


class Plain(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)


model = torch.nn.Linear(3, 1)
optimizer = Plain(model.parameters(), lr=0.1)
model(torch.ones(1, 3)).sum().backward()
optimizer.step()
print(len(dill.dumps(Plain)) > 10)
print(type(dill.loads(dill.dumps(optimizer))).__name__)
