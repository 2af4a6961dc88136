# A function that is scripted when it is traced, with a loss in it.
import torch
import torch.nn.functional as F


@torch.jit.script_if_tracing
def loss(x: torch.Tensor, y: torch.Tensor):
    if bool(x.sum() > 0):
        return F.mse_loss(x, y)
    return F.l1_loss(x, y)


def run(x, y):
    return loss(x, y) * 2


traced = torch.jit.trace(run, (torch.ones(2), torch.zeros(2)), check_trace=False)
print(traced(torch.ones(2) * 3, torch.zeros(2)).item(), traced(-torch.ones(2) * 3, torch.zeros(2)).item())
print(loss(torch.ones(2), torch.zeros(2)).item())
