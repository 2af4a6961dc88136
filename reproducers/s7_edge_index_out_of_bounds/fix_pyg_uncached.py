"""S7: without cached=True each graph is used with its own edges.

The normalised edges are computed in every call, which is cheap next to the rest.

Symptom: none: outputs for 3 and for 2 nodes
Needs:   torch, torch_geometric; cpu; about 8 s
Run:     python broken_pyg_cached.py; python fix_pyg_uncached.py
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
    torch.manual_seed(0)
    conv = GCNConv(4, 2)  # FIX: no cache
    ring = torch.tensor([[0, 1, 2], [1, 2, 0]])
    graphs = [Data(x=torch.ones(3, 4), edge_index=ring),
              Data(x=torch.ones(2, 4), edge_index=torch.tensor([[0, 1], [1, 0]]))]
    shapes = [list(conv(graph.x, graph.edge_index).shape) for graph in graphs]

    healthy = shapes == [[3, 2], [2, 2]]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape_by_graph_and_axis": shapes}))
    sys.exit(0 if healthy else 1)
