"""E7: the parser has each setting that the program reads.

The option has a default.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_missing.py
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
    parser.add_argument("--momentum", type=float, default=0.9)  # FIX: the option
    args = parser.parse_args([])

    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    momentum = optimizer.param_groups[0]["momentum"]

    healthy = momentum == 0.9

    print("OBSERVED", json.dumps({"healthy": healthy, "momentum": momentum}))
    sys.exit(0 if healthy else 1)
