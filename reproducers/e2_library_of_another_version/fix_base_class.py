"""E2: the class uses the layer that its base class has now.

The names of a base class that are no arguments are printed by `dict(layer.named_parameters())`.

Symptom: none: the output has 2 columns
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
        x = self.lin(x)  # FIX: the layer of torch_geometric 2
        return self.propagate(edge_index, x=x, edge_weight=mask)


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = MaskedGCNConv(4, 2)
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    output = layer(torch.ones(3, 4), edge_index, torch.ones(3))

    healthy = list(output.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(output.shape)}))
    sys.exit(0 if healthy else 1)
