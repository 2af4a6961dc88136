"""S7: clamp() sends messages to the wrong nodes.

The indices are in range afterwards, and nothing is raised. The edge from node 1 to node 2 has
become an edge from node 2 to node 4.

Symptom: the third node receives 60 instead of 20
Needs:   torch; cpu; about 2 s
Run:     python trap_clamp.py; python fixed.py
"""
import json
import sys

import torch

feature_of_node = {1: 10.0, 2: 20.0, 4: 40.0}  # as the file numbers its nodes
edges = [[1, 2], [2, 4]]  # node 1 to node 2, node 2 to node 4


if __name__ == "__main__":
    x = torch.tensor(list(feature_of_node.values()))
    source, target = torch.tensor(edges).t()
    source, target = source.clamp(max=2), target.clamp(max=2)  # BUG: other edges
    received = torch.zeros(len(x)).scatter_add_(0, target, x[source])

    healthy = received[:3].tolist() == [0.0, 10.0, 20.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "received": received.tolist()}))
    sys.exit(0 if healthy else 1)
