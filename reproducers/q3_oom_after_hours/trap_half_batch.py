"""Q3: half the batch keeps as much memory per epoch, so it fails in the same epoch.

If memory runs out after hours, it has grown in one of four ways: a little in each step, in each
validation, in a single jump, or for one large batch. Readings after each step tell which it was.

Symptom: about as many MiB are kept in an epoch with 32 samples as with 64
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_half_batch.py
"""
import ctypes
import json
import sys

import torch
from torch import nn

if not sys.platform.startswith("linux"):
    print("SKIPPED memory is read from /proc, as on Linux")
    sys.exit(77)

def memory_mib(pid="self"):
    with open("/proc/%s/status" % pid) as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["RssAnon"].split()[0]) / 1024


def mib_kept_in_an_epoch(batch_size, samples=1024):
    net, outputs = nn.Linear(64, 4096), []
    before = memory_mib()
    for batch in torch.randn(samples, 64).split(batch_size):
        outputs.append(net(batch).detach())  # BUG: each sample leaves 16 KiB, in any batch
    return memory_mib() - before


if __name__ == "__main__":
    torch.set_num_threads(1)
    ctypes.CDLL(None).mallopt(-3, 2**16)  # return freed blocks at once
    mib_kept_in_an_epoch(64)  # warm up
    mib_64, mib_32 = mib_kept_in_an_epoch(64), mib_kept_in_an_epoch(32)

    healthy = mib_32 < 0.75 * mib_64
    print("OBSERVED", json.dumps({"healthy": healthy, "mib_kept_batch_64": round(mib_64),
                                  "mib_kept_batch_32": round(mib_32)}))
    sys.exit(0 if healthy else 1)
