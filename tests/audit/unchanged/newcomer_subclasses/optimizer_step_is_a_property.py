# An optimizer whose step is a property cannot be called through torch's wrapper; the traceback goes to stderr.
# ends: 1
import functools

import torch

torch.set_num_threads(1)


class Property(torch.optim.SGD):
    @property
    def step(self):
        print("property read")
        return functools.partial(torch.optim.SGD.step, self)


p = torch.nn.Parameter(torch.ones(2))
opt = Property([p], lr=0.5)
p.grad = torch.ones(2)
print(opt.step(), p.tolist())
