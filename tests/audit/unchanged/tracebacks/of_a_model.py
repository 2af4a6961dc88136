# An error in a deep module: the frames of the program, and its locals.
import traceback

import torch


class Inner(torch.nn.Module):
    def forward(self, x):
        width = x.shape[1] + 1
        return x @ torch.ones(width, 1)


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x)


model = Outer()
model.register_forward_hook(lambda module, inputs, output: None)
optimizer = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=0.1)
try:
    model(torch.ones(2, 3))
except RuntimeError as error:
    frames = traceback.extract_tb(error.__traceback__)
    print([(frame.name, frame.line) for frame in frames if frame.filename == __file__])
    print(sorted({frame.filename.rsplit("/")[-1] for frame in frames}))
    print(error.__context__, error.__cause__, error.__suppress_context__)
