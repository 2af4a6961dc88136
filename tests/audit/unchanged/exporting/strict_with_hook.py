# quick
# needs: torch>=2.5
# A strict export of a module with a forward hook of the program.
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x) + 1


net = Net()
net.layer.register_forward_hook(lambda module, inputs, output: output * 2)
net.register_forward_pre_hook(lambda module, inputs: None)
exported = torch.export.export(net, (torch.ones(1, 2),), strict=True)
print([str(node.target) for node in exported.graph.nodes if node.op == "call_function"])
