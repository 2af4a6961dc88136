"""N7: values that a constructor needs are computed on the CPU, so it also runs on the meta device.

A named device wins over `with torch.device("meta")`.

Symptom: none: the three rates are read
Needs:   torch; cpu; about 2 s
Run:     python broken_item.py; python fix_item.py
"""
import json
import sys

import torch

if not hasattr(torch.device, "__enter__"):
    print("SKIPPED `with torch.device` is new in torch 2.0")
    sys.exit(77)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0, 0.2, 3, device="cpu")]  # FIX
        self.drops = torch.nn.ModuleList([torch.nn.Dropout(rate) for rate in rates])


if __name__ == "__main__":
    with torch.device("meta"):
        model = Net()

    rates = [round(drop.p, 3) for drop in model.drops]
    healthy = rates == [0.0, 0.1, 0.2]
    print("OBSERVED", json.dumps({"healthy": healthy, "rate_by_layer": rates}))
    sys.exit(0 if healthy else 1)
