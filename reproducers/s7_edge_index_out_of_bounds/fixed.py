"""S7: node numbers are replaced by the rows of their features.

A dict from node number to row is built once, from the same dict that the features come from.

Symptom: none: node 2 receives 10 and node 4 receives 20
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch

feature_of_node = {1: 10.0, 2: 20.0, 4: 40.0}  # as the file numbers its nodes
edges = [[1, 2], [2, 4]]  # node 1 to node 2, node 2 to node 4


if __name__ == "__main__":
    x = torch.tensor(list(feature_of_node.values()))
    source, target = torch.tensor(edges).t()
    row_of_node = {node: row for row, node in enumerate(feature_of_node)}  # FIX: number -> row
    source, target = torch.tensor([[row_of_node[a], row_of_node[b]] for a, b in edges]).t()  # FIX
    received = torch.zeros(len(x)).scatter_add_(0, target, x[source])

    healthy = received[:3].tolist() == [0.0, 10.0, 20.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "received": received.tolist()}))
    sys.exit(0 if healthy else 1)
