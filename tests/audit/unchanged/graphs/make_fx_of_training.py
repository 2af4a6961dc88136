# needs: torch>=2.1
# make_fx records the operations of a loss and its backward pass.
import torch
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2))


def loss(x, y):
    value = F.cross_entropy(model(x), y)
    value.backward()
    return value


graph = make_fx(loss)(torch.ones(4, 3), torch.tensor([0, 1, 1, 0]))
print([str(node.target).replace("_tensor_constant", "c") for node in graph.graph.nodes])
