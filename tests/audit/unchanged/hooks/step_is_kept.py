# quick
# The class of an optimizer of the program keeps its step(), also when the class replaces it later.
import torch


class Mine(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)


written = Mine.__dict__["step"]
layer = torch.nn.Linear(1, 1)
optimizer = Mine(layer.parameters(), lr=0.1)
layer(torch.ones(1, 1)).sum().backward()
optimizer.step()
print(Mine.__dict__["step"] is written, Mine.step.__code__.co_filename == __file__)
Mine.step = lambda self: print("mine")
Mine(layer.parameters(), lr=0.1).step()
optimizer.step()
del Mine.step
optimizer.step()
print("step" in vars(Mine))
