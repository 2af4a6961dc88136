"""S7: validate() finds the graph with a wrong edge_index before training.

Data.validate() compares edge_index with the number of nodes and raises; here it is asked for each
graph.

Symptom: none: graph 1 is named, and the others pass
Needs:   torch, torch_geometric; cpu; about 8 s
Run:     python fix_pyg_validate.py
"""
import json
import sys

import torch

try:
    from torch_geometric.data import Data
except ImportError:
    print("SKIPPED torch_geometric is not installed")
    sys.exit(77)


def broken_graphs(dataset):  # FIX: once, before the loader
    """The numbers of the graphs whose edge_index does not fit, with the reason."""
    reasons = {}
    for number, graph in enumerate(dataset):
        try:
            graph.validate()
        except ValueError as error:
            reasons[number] = str(error)
    return reasons


if __name__ == "__main__":
    ring = torch.tensor([[0, 1, 2], [1, 2, 0]])
    dataset = [Data(x=torch.ones(rows, 4), edge_index=ring + first)
               for rows, first in [(3, 0), (3, 1), (4, 1)]]
    reasons = broken_graphs(dataset)

    healthy = list(reasons) == [1] and "larger indices" in reasons[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "reason_by_graph": reasons}))
    sys.exit(0 if healthy else 1)
