# needs: torch>=2.5
# An export with a dynamic batch size, run again on other sizes.
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 4)

    def forward(self, x):
        return F.cross_entropy(self.layer(x), torch.zeros(x.shape[0], dtype=torch.long), reduction="none")


torch.manual_seed(0)
batch = torch.export.Dim("batch", min=2, max=64)
exported = torch.export.export(Net(), (torch.ones(4, 2),), dynamic_shapes={"x": {0: batch}}, strict=False)
print([tuple(exported.module()(torch.ones(size, 2)).shape) for size in (2, 5)])
