"""S7: the edges are a list of two tensors, not one tensor.

Old releases of PyG accepted a list. propagate() of PyG 2 wants one integer tensor of two rows.

Symptom: ValueError: `MessagePassing.propagate` only supports integer tensors of shape `[2, ...]`
Needs:   torch, torch_geometric; cpu; about 8 s
Run:     python broken_edge_list.py; python fix_edge_list.py
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
    edge_index = [source, target]  # BUG: a list
    out = GCNConv(4, 2)(torch.ones(3, 4), edge_index)

    healthy = list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
