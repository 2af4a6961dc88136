"""S7: the edges are one tensor with two rows.

torch.stack() makes it from the two lists of node numbers.

Symptom: none: two outputs for each of the three nodes
Needs:   torch, torch_geometric; cpu; about 8 s
Run:     python fix_edge_list.py; python broken_edge_list.py
"""
import json
import sys

import torch

try:
    from torch_geometric.nn import GCNConv
except ImportError:
    print("SKIPPED torch_geometric is not installed")
    sys.exit(77)

source, target = torch.tensor([0, 1]), torch.tensor([1, 2])

if __name__ == "__main__":
    edge_index = torch.stack([source, target])  # FIX: (2, number of edges)
    out = GCNConv(4, 2)(torch.ones(3, 4), edge_index)

    healthy = list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
