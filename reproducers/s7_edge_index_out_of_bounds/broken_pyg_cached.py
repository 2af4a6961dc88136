"""S7: GCNConv(cached=True) keeps the edges of the first graph.

cached=True is meant for training on one graph. With a second graph the layer still uses the edges
of the first.

Symptom: Found indices in 'edge_index' that are larger than 1 (got 2)
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
    conv = GCNConv(4, 2, cached=True)  # BUG: more than one graph
    ring = torch.tensor([[0, 1, 2], [1, 2, 0]])
    graphs = [Data(x=torch.ones(3, 4), edge_index=ring),
              Data(x=torch.ones(2, 4), edge_index=torch.tensor([[0, 1], [1, 0]]))]
    shapes = [list(conv(graph.x, graph.edge_index).shape) for graph in graphs]

    healthy = shapes == [[3, 2], [2, 2]]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape_by_graph_and_axis": shapes}))
    sys.exit(0 if healthy else 1)
