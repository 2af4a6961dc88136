# _get_trace_graph, as old ONNX exporters and plotting tools use it, on a model in training.
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        return F.mse_loss(self.layer(x), x)


torch.manual_seed(0)
net = Net()
graph, _ = torch.jit._get_trace_graph(net, (torch.ones(2, 3),))[:2]
print([node.kind() for node in graph.nodes()])
