"""M1: the loss of a large vocabulary, 64 tokens at a time.

checkpoint() keeps only the hidden states of each part, and computes its logits again in backward().
So 64 of the 512 tokens have logits at a time.

Symptom: none: both steps fit under the limit of broken_logits.py
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_logits.py
"""
import ctypes
import json
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

if not sys.platform.startswith("linux"):
    print("SKIPPED the memory of a process is limited here as on Linux")
    sys.exit(77)
import resource

tokens, vocabulary, steps = 512, 12288, 2


def limit_memory(mib):
    """Plays a full GPU: from here on the process gets this much more memory, and no more."""
    ctypes.CDLL(None).mallopt(-3, 2**16)  # give freed memory back at once
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    limit = (int(fields["VmData"].split()[0]) << 10) + (mib << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    head = nn.Linear(32, vocabulary)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    hidden = torch.randn(tokens, 32)  # what the layers below give for 512 tokens
    labels = torch.randint(vocabulary, (tokens,))

    def part_loss(part, wanted):
        return nn.functional.cross_entropy(head(part), wanted, reduction="sum")

    limit_memory(48)
    steps_done = 0
    for step in range(steps):
        optimizer.zero_grad()
        loss = 0
        for part, wanted in zip(hidden.split(64), labels.split(64)):  # FIX: 64 tokens at a time
            loss = loss + checkpoint(part_loss, part, wanted, use_reentrant=False) / tokens
        loss.backward()
        optimizer.step()
        steps_done += 1

    healthy = steps_done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": steps_done}))
    sys.exit(0 if healthy else 1)
