# needs: torch>=2.1
# make_fx with fake tensors.
import torch
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx

layer = torch.nn.Linear(3, 3)
graph = make_fx(lambda x: F.mse_loss(layer(x), x), tracing_mode="fake", _allow_non_fake_inputs=True)(
    torch.ones(2, 3)
)
print([str(node.target) for node in graph.graph.nodes if node.op == "call_function"])
