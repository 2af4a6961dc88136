# A tracer of the program that looks into all modules, and an interpreter that counts.
import torch
import torch.fx


class Everything(torch.fx.Tracer):
    def is_leaf_module(self, module, name):
        return False


class Counter(torch.fx.Interpreter):
    def call_function(self, target, args, kwargs):
        print(getattr(target, "__name__", target))
        return super().call_function(target, args, kwargs)


model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.1), torch.nn.MSELoss()).eval()
root = torch.nn.ModuleList(model)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = root

    def forward(self, x, y):
        return self.parts[2](self.parts[1](self.parts[0](x)), y)


net = Net().eval()
graph = Everything().trace(net)
Counter(torch.fx.GraphModule(net, graph)).run(torch.ones(1, 2), torch.zeros(1, 2))
