"""C33: the check: which parts only the file has, and which only the model.

Tensors are counted by module, so a thousand names become a few.

Symptom: none: it names blocks.2 and bn in the file, ln in the model
Needs:   torch; cpu; about 2 s
Run:     python fix_compare.py
"""
import json
import sys
from collections import Counter

import torch
from torch import nn


def parts(keys):
    """The modules that these tensors belong to (at most three levels), with their numbers."""
    return dict(Counter(".".join(key.split(".")[:-1][:3]) for key in sorted(keys)))


def compare(state, model):
    """The parts that only the file has, and those that only the model has."""
    own = model.state_dict()
    return parts(set(state) - set(own)), parts(set(own) - set(state))


class Net(nn.Module):
    def __init__(self, depth=2, norm="layer"):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])
        if norm == "layer":
            self.ln = nn.LayerNorm(8)
        else:
            self.bn = nn.BatchNorm1d(8)


if __name__ == "__main__":
    state = Net(depth=3, norm="batch").state_dict()
    only_file, only_model = compare(state, Net())  # FIX: before load_state_dict
    print("only in the file: ", only_file)
    print("only in the model:", only_model)
    same = compare(state, Net(depth=3, norm="batch"))

    healthy = only_file == {"blocks.2": 2, "bn": 5} and only_model == {"ln": 2}
    healthy = healthy and same == ({}, {})
    print("OBSERVED", json.dumps({"healthy": healthy, "only_in_the_file": sum(only_file.values()),
                                  "only_in_the_model": sum(only_model.values())}))
    sys.exit(0 if healthy else 1)
