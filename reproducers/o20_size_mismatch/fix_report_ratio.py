"""O20: the share of loaded numbers shows when a partial load went wrong.

The function counts the numbers whose name and shape fit the model, and divides by all numbers of
the model.

Symptom: none: 83 % with a new head, 3 % with a wrong width in the config
Needs:   torch; cpu; about 2 s
Run:     python fix_report_ratio.py
"""
import json
import sys

import torch
from torch import nn


def loaded_ratio(model, checkpoint):
    own = model.state_dict()
    fitting = {k for k, v in checkpoint.items() if k in own and v.shape == own[k].shape}
    print("new:", sorted(set(own) - fitting))
    print("left over:", sorted(set(checkpoint) - fitting))
    return sum(own[k].numel() for k in fitting) / sum(v.numel() for v in own.values())


def build(width, classes):
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, width), nn.ReLU(),
                         nn.Linear(width, classes))


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint = build(64, 5).state_dict()
    new_head = loaded_ratio(build(64, 2), checkpoint)  # FIX: one number that shows a bad load
    wrong_width = loaded_ratio(build(128, 2), checkpoint)

    healthy = new_head > 0.8 and wrong_width < 0.1
    print("OBSERVED", json.dumps({"healthy": healthy, "with_a_new_head": round(new_head, 3),
                                  "with_a_wrong_width": round(wrong_width, 3)}))
    sys.exit(0 if healthy else 1)
