# The program replaces mse_loss, then traces a function that has nothing to do with it.
import torch
import torch.nn.functional as F

real = F.mse_loss
F.mse_loss = lambda input, target: real(input, target) + 1
traced = torch.jit.trace(lambda x: x * 2, torch.ones(2))
print(traced(torch.ones(2)).tolist())
print(F.mse_loss(torch.ones(2), torch.zeros(2)).item())
