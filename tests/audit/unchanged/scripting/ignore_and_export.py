# Parts that are ignored, exported and left to Python in a scripted module.
# needs: torch>=1.9
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    @torch.jit.ignore
    def in_python(self, x: torch.Tensor) -> torch.Tensor:
        return F.smooth_l1_loss(x, torch.zeros(2))

    @torch.jit.export
    def score(self, x: torch.Tensor):
        return F.huber_loss(self.layer(x), x)

    def forward(self, x: torch.Tensor):
        return self.in_python(x)


torch.manual_seed(0)
scripted = torch.jit.script(Net())
print(scripted(torch.ones(2)).item(), scripted.score(torch.ones(2)).shape)
