"""Q3: the peak since the start only rises, so a healthy job seems to leak.

If memory runs out after hours, it has grown in one of four ways: a little in each step, in each
validation, in a single jump, or for one large batch. Readings after each step tell which it was.

Symptom: found: training keeps something; no step leaks
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_peak_only.py
"""
import ctypes
import json
import resource
import sys

import torch
from torch import nn

if not sys.platform.startswith("linux"):
    print("SKIPPED memory is read from /proc, as on Linux")
    sys.exit(77)


if __name__ == "__main__":
    torch.set_num_threads(1)
    ctypes.CDLL(None).mallopt(-3, 2**16)  # return freed blocks at once
    net = nn.Sequential(nn.Linear(2048, 512), *[nn.Tanh() for _ in range(8)])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    peaks = []
    for length in (128, 512, 256, 768, 128, 1024):  # texts of various lengths, nothing is kept
        optimizer.zero_grad()
        net(torch.randn(length, 2048)).pow(2).mean().backward()
        optimizer.step()
        # BUG: like max_memory_allocated() without a reset, and like what nvidia-smi shows
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)

    found = "training keeps something" if peaks[-1] - peaks[1] > 4 else "steady"
    healthy = found == "steady" and len(peaks) == 6
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found, "steps_read": len(peaks)}))
    sys.exit(0 if healthy else 1)
