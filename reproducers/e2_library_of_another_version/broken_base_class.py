"""E2: a class of the program uses an attribute that its base class has renamed.

GCNConv of torch_geometric 1 had its matrix in `weight`. From 2 on it is in the layer `lin`.

Symptom: AttributeError: 'MaskedGCNConv' object has no attribute 'weight'
Needs:   torch, torch_geometric; cpu; about 5 s
Run:     python broken_base_class.py; python fix_base_class.py
"""
import json
import sys

import torch

try:
    from torch_geometric.nn import GCNConv
except ImportError:
    print("SKIPPED torch_geometric is not installed")
    sys.exit(77)


class MaskedGCNConv(GCNConv):
    def forward(self, x, edge_index, mask):
        x = torch.matmul(x, self.weight)  # BUG: as in torch_geometric 1
        return self.propagate(edge_index, x=x, edge_weight=mask)


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = MaskedGCNConv(4, 2)
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    output = layer(torch.ones(3, 4), edge_index, torch.ones(3))

    healthy = list(output.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(output.shape)}))
    sys.exit(0 if healthy else 1)
