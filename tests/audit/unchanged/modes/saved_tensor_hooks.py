# Hooks on what autograd keeps, and a mode that refuses in-place writes to the inputs.
# needs: torch>=1.10
import torch

torch.manual_seed(0)
log = []
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def pack(tensor):
    log.append(("pack", tuple(tensor.shape)))
    return tensor


def unpack(tensor):
    log.append(("unpack", tuple(tensor.shape)))
    return tensor


with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    for _ in range(2):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(torch.randn(4, 2)), torch.zeros(4, 1)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
print(len(log), log[:4], log[-4:])
