# needs: torch>=2.1
# The graphs that AOTAutograd makes of a loss.
import torch
import torch.nn.functional as F
from functorch.compile import aot_function

graphs = []


def keep(graph, inputs):
    graphs.append([str(node.target) for node in graph.graph.nodes if node.op == "call_function"])
    return graph


compiled = aot_function(lambda x, y: F.mse_loss(F.dropout(x, 0.0), y), fw_compiler=keep, bw_compiler=keep)
x = torch.ones(3, requires_grad=True)
compiled(x, torch.zeros(3)).backward()
print(graphs, x.grad.tolist())
