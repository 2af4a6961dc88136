# The program replaces cross_entropy, as Liger Kernel does, then scripts another module.
import torch
import torch.nn.functional as F


class Clamp(torch.nn.Module):
    def forward(self, x):
        return x.clamp(0.0, 1.0)


real = F.cross_entropy


def tenfold(input, target):
    return real(input, target) * 10


F.cross_entropy = tenfold
logits, labels = torch.eye(3), torch.tensor([1, 2, 0])
print(round(F.cross_entropy(logits, labels).item(), 4))
print(torch.jit.script(Clamp())(torch.tensor([2.0])).item())
print(round(F.cross_entropy(logits, labels).item(), 4), F.cross_entropy is tenfold)
