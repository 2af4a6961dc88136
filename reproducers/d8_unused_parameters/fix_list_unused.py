"""D8: how to get the names of the parameters that a loss does not depend on.

After one backward() of the model without its DDP wrapper, a parameter that the loss does not
depend on still has the gradient None. No second process is needed.

Symptom: none: the two parameters of the head that was not used are named
Needs:   torch; cpu; about 2 s
Run:     python fix_list_unused.py
"""
import json
import sys

import torch

torch.manual_seed(0)


class TwoTasks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.boxes = torch.nn.Linear(4, 1)
        self.masks = torch.nn.Linear(4, 1)

    def forward(self, x, task):
        return self.boxes(x) if task == "boxes" else self.masks(x)


def unused_parameters(model):
    return [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]


if __name__ == "__main__":
    net = TwoTasks()
    net(torch.ones(2, 4), "boxes").mean().backward()
    unused = unused_parameters(net)
    print("unused:", unused)  # FIX: names, where the error has only indices

    healthy = unused == ["masks.weight", "masks.bias"]
    print("OBSERVED", json.dumps({"healthy": healthy, "unused": unused}))
    sys.exit(0 if healthy else 1)
