# quick
# A ScriptModule whose script_method uses a loss and dropout.
import torch
import torch.nn.functional as F


class Scripted(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    @torch.jit.script_method
    def forward(self, x: torch.Tensor, target: torch.Tensor):
        return F.cross_entropy(F.dropout(self.layer(x), 0.5, False), target)


print(Scripted()(torch.ones(2, 3), torch.tensor([0, 1])).shape)
