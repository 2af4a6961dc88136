# Schedulers chained and called in the wrong order; shows every learning rate and every warning that torch raises.
import warnings

import torch

torch.set_num_threads(1)
p = torch.nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([p], lr=1.0, momentum=0.9)
a = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: 1 / (1 + e))
b = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    a.step()  # before the optimizer: torch warns
    p.sum().backward()
    opt.step()
    a.step()
    b.step()
print([(w.category.__name__, str(w.message)[:60], w.lineno) for w in seen])
rates = []
for _ in range(4):
    opt.step()
    a.step()
    b.step()
    rates.append(opt.param_groups[0]["lr"].hex())
print(rates)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    c = torch.optim.lr_scheduler.StepLR(opt, 2)
    opt.step = type(opt).step.__get__(opt)  # the user replaces step after the scheduler was made
    opt.step()
    c.step()
print([(w.category.__name__, str(w.message)[:60]) for w in seen])
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, factor=0.5)
for metric in (1.0, 1.0, 2.0, 2.0):
    plateau.step(metric)
    print(opt.param_groups[0]["lr"].hex(), plateau.num_bad_epochs)
