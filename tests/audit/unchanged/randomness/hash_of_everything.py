# A whole training, of which each tensor is hashed: LBFGS, checkpointing, averaging.
# needs: torch>=2.0
import hashlib

import torch
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1)
)
average = torch.optim.swa_utils.AveragedModel(model)
x, y = torch.randn(16, 3, requires_grad=True), torch.randn(16, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.smooth_l1_loss(checkpoint(model, x, use_reentrant=False), y)
    loss.backward()
    return loss


for _ in range(3):
    print(optimizer.step(closure).item().hex())
    average.update_parameters(model)
torch.optim.swa_utils.update_bn([x.detach()], average)
digest = hashlib.md5()
for name, tensor in sorted(average.state_dict().items()):
    digest.update(name.encode() + tensor.detach().numpy().tobytes())
print(digest.hexdigest())
