"""C32: the checkpoint says for which class and which parameters its state is.

A state has no names of its own. Names, shapes and the class of the optimizer are saved beside it
and compared before loading.

Symptom: none: the same run is accepted, and four other ones are refused with a reason
Needs:   torch; cpu; about 2 s
Run:     python fix_save_names.py
"""
import json
import sys

import torch
from torch import nn


def described(optimizer, model):  # FIX: save this beside optimizer.state_dict()
    """The class of the optimizer, and the name and shape of each of its parameters, in order."""
    names = {id(p): name for name, p in model.named_parameters()}
    return [type(optimizer).__name__] + [
        [[names[id(p)], list(p.shape)] for p in group["params"]]
        for group in optimizer.param_groups]


def network(classes=3):
    return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, classes))


if __name__ == "__main__":
    model = network()
    saved = json.loads(json.dumps(described(torch.optim.AdamW(model.parameters()), model)))
    first, second = list(model[0].parameters()), list(model[1].parameters())
    other = network(classes=5)
    runs = {"same": (torch.optim.AdamW(model.parameters()), model),
            "class": (torch.optim.SGD(model.parameters(), lr=0.1), model),
            "order": (torch.optim.AdamW(second + first), model),
            "groups": (torch.optim.AdamW([{"params": first}, {"params": second}]), model),
            "shape": (torch.optim.AdamW(other.parameters()), other)}
    accepted = [name for name, run in runs.items() if described(*run) == saved]

    healthy = accepted == ["same"] and saved[1][2] == ["1.weight", [3, 4]]
    print("OBSERVED", json.dumps({"healthy": healthy, "accepted": accepted, "saved": saved}))
    sys.exit(0 if healthy else 1)
