# needs: torch>=2.5
# torch.export.export(strict=True) of a model with dropout and a loss.
import torch
import torch.nn.functional as F


class WithLoss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, y):
        return F.mse_loss(F.dropout(self.layer(x), 0.5, self.training), y)


torch.manual_seed(0)
exported = torch.export.export(WithLoss().eval(), (torch.ones(2, 3), torch.zeros(2, 3)), strict=True)
print([node.name for node in exported.graph.nodes])
