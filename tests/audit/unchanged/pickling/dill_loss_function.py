# needs: dill
# A closure over functions of torch is sent by value.
import dill
import torch
import torch.nn.functional as F


def make(loss):
    def step(x):
        return loss(x, torch.zeros_like(x)).item()

    return step


for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss):
    again = dill.loads(dill.dumps(make(loss)))
    print(again(torch.full((3,), 2.0)), dill.loads(dill.dumps(loss)) is loss)
