"""M2: out of memory in step 6: one long text makes its whole batch as long.

A batch is padded to its longest text. Six batches of 16 texts have at most 800 tokens each; the
seventh has one text of 500 tokens, and so 8000 tokens.

Symptom: RuntimeError: ... DefaultCPUAllocator: can't allocate memory, in step 6
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import ctypes
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

if not sys.platform.startswith("linux"):
    print("SKIPPED the memory of a process is limited here as on Linux")
    sys.exit(77)
import resource

num_samples, batch_size = 160, 16


def limit_memory(mib):
    """Plays a full GPU: from here on the process gets this much more memory, and no more."""
    ctypes.CDLL(None).mallopt(-3, 2**16)  # give freed memory back at once
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    limit = (int(fields["VmData"].split()[0]) << 10) + (mib << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def block():
    return nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 128))


def pad(batch):
    return nn.utils.rnn.pad_sequence(batch, batch_first=True)


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    lengths = torch.randint(20, 51, (num_samples,)).tolist()
    lengths[100] = 500
    texts = [torch.randn(length, 128) for length in lengths]
    model = nn.Sequential(*[block() for _ in range(8)])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(texts, batch_size=batch_size,  # BUG: 16 texts, of any length
                        collate_fn=pad)
    limit_memory(64)
    samples_seen = 0
    for step, batch in enumerate(loader):
        print(f"step {step}, shape {list(batch.shape)}", file=sys.stderr)
        optimizer.zero_grad()
        model(batch).pow(2).mean().backward()
        optimizer.step()
        samples_seen += len(batch)

    healthy = samples_seen == num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_seen": samples_seen}))
    sys.exit(0 if healthy else 1)
