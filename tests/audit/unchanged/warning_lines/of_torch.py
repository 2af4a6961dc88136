# quick
# Warnings of torch name the line of the program.
import warnings

import torch
import torch.nn.functional as F

layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    F.mse_loss(torch.ones(3, 1), torch.ones(3))
    F.l1_loss(torch.ones(3, 1), torch.ones(3))
    torch.nn.MSELoss(reduce=False)(torch.ones(1), torch.ones(1))
    F.cross_entropy(torch.ones(2, 2), torch.tensor([0, 1]), size_average=True)
    torch.optim.lr_scheduler.StepLR(optimizer, 1).step()
    F.kl_div(torch.zeros(2), torch.ones(2), reduction="mean")
    torch.nn.utils.clip_grad_norm_([], 1.0)
for warning in caught:
    print(
        warning.category.__name__, warning.filename.rsplit("/")[-1], warning.lineno, str(warning.message)[:60]
    )
