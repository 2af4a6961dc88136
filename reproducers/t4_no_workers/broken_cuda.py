"""T4: with num_workers=0 the GPU waits while each batch is decoded.

The training process decodes each batch between two steps, and the GPU has nothing to do in the
meantime.

Symptom: the GPU works for less than half of the time, although each step keeps it busy
Needs:   torch, numpy; cuda; about 10 s
Run:     python broken_cuda.py; python fix_cuda.py
"""
import json
import sys
import time
import zlib

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

if not torch.cuda.is_available():
    print("SKIPPED no CUDA device")
    sys.exit(77)

num_batches, batch_size, side = 44, 4, 1024
not_measured = 4  # the first batch of each worker includes its start
pixels = np.random.RandomState(0).randint(0, 16, side * side, dtype=np.uint8)
packed = zlib.compress(pixels.tobytes(), 1)  # a real decode: several ms of CPU


class Photos(Dataset):
    def __len__(self):
        return num_batches * batch_size

    def __getitem__(self, index):
        return torch.from_numpy(np.frombuffer(bytearray(zlib.decompress(packed)), dtype=np.uint8))


def step(batch, weight):
    x = batch.cuda().view(-1, side).float()[:side] / 255
    for _ in range(repeats):
        x = torch.tanh(x @ weight)
    return x.mean().item()  # like loss.item(): waits for the GPU


def timed(work):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1000


if __name__ == "__main__":
    batches = iter(DataLoader(Photos(), batch_size=batch_size))  # BUG: decodes between the steps
    batch = [next(batches) for _ in range(not_measured)][-1]
    weight, repeats = torch.randn(side, side, device="cuda") / 32, 50
    step(batch, weight)  # warm up
    fifty_layers = min(timed(lambda: step(batch, weight)) for _ in range(3))
    before = time.perf_counter()
    Photos()[0]
    decode = (time.perf_counter() - before) * batch_size
    repeats = max(1, int(50 * decode / 2 / fifty_layers))  # GPU work for half the time of a load

    busy, start = 0.0, time.perf_counter()
    for _ in range(num_batches - not_measured):
        batch = next(batches)
        busy += timed(lambda: step(batch, weight))
    share = busy / (time.perf_counter() - start)
    healthy = share > 0.6
    print("OBSERVED", json.dumps({"healthy": healthy, "share_of_time_in_gpu_steps":
                                  round(share, 2)}))
    sys.exit(0 if healthy else 1)
