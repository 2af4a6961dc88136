# quick
# torch.fx.symbolic_trace of losses and dropout; its code, copies and pickles.
import copy
import pickle

import torch
import torch.fx
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x, target):
        return F.cross_entropy(F.dropout(self.layer(x), 0.5, self.training), target)


traced = torch.fx.symbolic_trace(Net())
print(traced.code)
print([getattr(node.target, "__name__", node.target) for node in traced.graph.nodes])
print([node.target is F.cross_entropy for node in traced.graph.nodes if node.op == "call_function"])
print(pickle.loads(pickle.dumps(traced)).code == traced.code, copy.deepcopy(traced).code == traced.code)
