# Optimizer subclasses with a step that is a generator, raises, returns a dict, or has other arguments.
import torch

torch.set_num_threads(1)


class Keyword(torch.optim.SGD):
    def step(self, closure=None, *, scale=1.0):
        print("scale", scale)
        for g in self.param_groups:
            for p in g["params"]:
                p.grad.mul_(scale)
        return super().step(closure)


class Generator(torch.optim.SGD):
    def step(self):
        yield "first"
        super().step()
        yield "second"


class Raises(torch.optim.SGD):
    def step(self, closure=None):
        raise FloatingPointError("diverged")


class Returns(torch.optim.SGD):
    def step(self, closure=None):
        return {"skipped": True}


for cls in (Keyword, Generator, Raises, Returns):
    p = torch.nn.Parameter(torch.ones(2))
    opt = cls([p], lr=0.5)
    p.grad = torch.ones(2)
    try:
        if cls is Keyword:
            result = opt.step(scale=0.5)
        elif cls is Generator:
            result = list(opt.step())
        else:
            result = opt.step()
        print(cls.__name__, result, p.tolist())
    except FloatingPointError as e:
        tb = e.__traceback__
        names = []
        while tb:
            names.append(tb.tb_frame.f_code.co_name)
            tb = tb.tb_next
        print(cls.__name__, e, names)
