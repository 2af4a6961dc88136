"""S7: rows of zeros at the end make the indices valid and shift every feature.

The numbers of the file do not start at 0, so each edge still uses a row after the right one.

Symptom: the second node receives nothing, and an added row, which is no node, receives 40
Needs:   torch; cpu; about 2 s
Run:     python trap_more_rows.py; python fixed.py
"""
import json
import sys

import torch

feature_of_node = {1: 10.0, 2: 20.0, 4: 40.0}  # as the file numbers its nodes
edges = [[1, 2], [2, 4]]  # node 1 to node 2, node 2 to node 4


if __name__ == "__main__":
    x = torch.tensor(list(feature_of_node.values()))
    source, target = torch.tensor(edges).t()
    x = torch.cat([x, torch.zeros(2)])  # BUG: row 1 is the feature of node 2
    received = torch.zeros(len(x)).scatter_add_(0, target, x[source])

    healthy = received[:3].tolist() == [0.0, 10.0, 20.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "received": received.tolist()}))
    sys.exit(0 if healthy else 1)
