# The functions behind torch.jit.script, which libraries call directly.
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x, y):
        return F.binary_cross_entropy_with_logits(self.drop(x), y)


net = Net().eval()
scripted = torch.jit._recursive.create_script_module(net, torch.jit._recursive.infer_methods_to_compile)
print(round(scripted(torch.zeros(2), torch.ones(2)).item(), 4))
