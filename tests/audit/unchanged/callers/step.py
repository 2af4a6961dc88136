# quick
# A logger that names its caller's caller, in the step() of an optimizer and in a scheduler.
import logging
import sys

import torch

logging.basicConfig(stream=sys.stdout, format="%(filename)s %(message)s", level=logging.INFO)


class Plain(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    def step(self, closure=None):
        logging.info("step is called from", stacklevel=2)
        print(sys._getframe(1).f_code.co_filename.rsplit("/")[-1])

    def zero_grad(self):
        print("zero_grad", sys._getframe(1).f_code.co_filename.rsplit("/")[-1])


class Schedule(torch.optim.lr_scheduler.StepLR):
    def step(self, epoch=None):
        print("scheduler", sys._getframe(1).f_code.co_filename.rsplit("/")[-1])


layer = torch.nn.Linear(1, 1)
optimizer = Plain(layer.parameters())
schedule = Schedule(optimizer, 1)
layer(torch.ones(1, 1)).sum().backward()
optimizer.step()
optimizer.zero_grad()
schedule.step()
