"""E7: the program reads a setting that its parser does not have.

args has one attribute for each add_argument, and no others.

Symptom: AttributeError: 'Namespace' object has no attribute 'momentum'
Needs:   torch; cpu; about 3 s
Run:     python broken_missing.py
"""
import argparse
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.01)
    # BUG: no --momentum
    args = parser.parse_args([])

    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    momentum = optimizer.param_groups[0]["momentum"]

    healthy = momentum == 0.9

    print("OBSERVED", json.dumps({"healthy": healthy, "momentum": momentum}))
    sys.exit(0 if healthy else 1)
