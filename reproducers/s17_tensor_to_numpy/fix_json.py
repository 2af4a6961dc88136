"""S17: a loss is written to a JSON file as a number.

item() of a tensor with one element is a float.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_json.py
"""
import json
import sys

import torch

torch.manual_seed(0)


if __name__ == "__main__":
    loss = torch.nn.functional.mse_loss(torch.randn(4), torch.randn(4))
    record = {"epoch": 1, "loss": loss.item()}  # FIX: a number
    line = json.dumps(record)

    healthy = json.loads(line)["epoch"] == 1

    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(record)}))
    sys.exit(0 if healthy else 1)
