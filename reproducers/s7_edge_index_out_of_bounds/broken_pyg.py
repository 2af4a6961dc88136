"""S7: GCNConv gets an edge to a node without features.

The graph has 3 rows of features and an edge to node 3, which is the fourth.

Symptom: index 3 is out of bounds for dimension 0 with size 3
Needs:   torch, torch_geometric; cpu; about 8 s
Run:     python broken_pyg.py; python fix_pyg_validate.py
"""
import json
import sys

import torch

try:
    from torch_geometric.data import Data
    from torch_geometric.nn import GCNConv
except ImportError:
    print("SKIPPED torch_geometric is not installed")
    sys.exit(77)


if __name__ == "__main__":
    graph = Data(x=torch.ones(3, 4), edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]))
    out = GCNConv(4, 2)(graph.x, graph.edge_index)  # BUG: no row 3

    healthy = list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
