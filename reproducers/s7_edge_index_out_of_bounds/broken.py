"""S7: the node numbers of a file are used as row numbers.

edge_index holds rows of x. A file numbers its nodes as it likes: from 1, with gaps, or with ids
of a database.

Symptom: index 4 is out of bounds for dimension 0 with size 3
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
    print("rows", len(x), "highest index", int(target.max()))  # BUG: 3 rows, index 4
    received = torch.zeros(len(x)).scatter_add_(0, target, x[source])

    healthy = received[:3].tolist() == [0.0, 10.0, 20.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "received": received.tolist()}))
    sys.exit(0 if healthy else 1)
