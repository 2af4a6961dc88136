"""N3: layers in a plain list, passed to the optimizer by hand, train but are not saved.

The optimizer gets the parameters from the list, so the layers train. They are still not registered,
so state_dict() leaves them out and a load does not restore them.

Symptom: the layers train, a strict load reports no missing key, and the output differs
Needs:   torch; cpu; about 2 s
Run:     python trap_parameters_by_hand.py
"""
import json
import sys
from itertools import chain

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(2)]
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


def all_parameters(net):
    hidden = [layer.parameters() for layer in net.layers]
    return chain(net.head.parameters(), *hidden)  # BUG: they train, but are not saved


if __name__ == "__main__":
    torch.manual_seed(0)
    net, x, y = Net(), torch.randn(16, 8), torch.randint(2, (16,))
    before = net.layers[0].weight.detach().clone()
    optimizer = torch.optim.SGD(all_parameters(net), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    loaded = Net()
    report = loaded.load_state_dict(net.state_dict(), strict=True)

    moved = not torch.equal(before, net.layers[0].weight)
    same = torch.equal(net(x), loaded(x))
    healthy = moved and same
    print("OBSERVED", json.dumps({"healthy": healthy, "hidden_layer_moved": moved,
                                  "missing_keys": report.missing_keys,
                                  "same_output_after_load": same}))
    sys.exit(0 if healthy else 1)
