"""S17: a loss is written to a JSON file as a tensor.

json knows numbers, texts, lists and dicts.

Symptom: TypeError: Object of type Tensor is not JSON serializable
Needs:   torch; cpu; about 3 s
Run:     python broken_json.py
"""
import json
import sys

import torch

torch.manual_seed(0)


if __name__ == "__main__":
    loss = torch.nn.functional.mse_loss(torch.randn(4), torch.randn(4))
    record = {"epoch": 1, "loss": loss}  # BUG: a tensor
    line = json.dumps(record)

    healthy = json.loads(line)["epoch"] == 1

    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(record)}))
    sys.exit(0 if healthy else 1)
