"""A2: a check that names the parameters that changed before backward().

A step of an optimizer increments the version counter of a parameter, `_version`; with fused=True it
does not.

Symptom: none: the check names the parameters of netD
Needs:   torch; cpu; about 2 s
Run:     python fix_find_stepped.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizerD = torch.optim.SGD(netD.parameters(), lr=0.1)
noise = torch.randn(64, 4)


def versions(**networks):
    return {f"{key}.{name}": p._version for key, network in networks.items()
            for name, p in network.named_parameters()}


def changed_since(before, **networks):
    return [name for name, version in versions(**networks).items() if version != before[name]]


if __name__ == "__main__":
    on_fake = netD(netG(noise))
    before = versions(netG=netG, netD=netD)  # after the forward pass
    on_fake.mean().backward(retain_graph=True)
    optimizerD.step()
    changed = changed_since(before, netG=netG, netD=netD)  # before the backward() that fails

    healthy = changed == ["netD.0.weight", "netD.0.bias", "netD.2.weight", "netD.2.bias"]  # FIX
    print("OBSERVED", json.dumps({"healthy": healthy, "changed": changed}))
    sys.exit(0 if healthy else 1)
