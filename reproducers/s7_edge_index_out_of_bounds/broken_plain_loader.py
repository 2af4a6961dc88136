"""S7: the model takes a graph, and a loader of tensors hands it a tensor.

forward(data) reads data.x and data.edge_index. The batch of a TensorDataset has neither.

Symptom: AttributeError: 'Tensor' object has no attribute 'edge_index'
Needs:   torch, torch_geometric; cpu; about 8 s
Run:     python broken_plain_loader.py; python fix_graph_loader.py
"""
import json
import sys

import torch

try:
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import GCNConv
except ImportError:
    print("SKIPPED torch_geometric is not installed")
    sys.exit(77)

edge_index = torch.tensor([[0, 1], [1, 2]])


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCNConv(4, 2)

    def forward(self, data):
        edges = data.edge_index
        return self.conv(data.x, edges)


if __name__ == "__main__":
    graphs = [Data(x=torch.ones(3, 4), edge_index=edge_index) for _ in range(2)]
    features = torch.stack([graph.x for graph in graphs])
    loader = DataLoader(features, batch_size=2)  # BUG: only the features
    out = Net()(next(iter(loader)))

    healthy = list(out.shape) == [6, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
