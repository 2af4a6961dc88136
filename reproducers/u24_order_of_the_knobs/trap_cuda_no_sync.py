"""U24: without a synchronization a clock counts GPU work as loading.

GPU work is queued, so without a synchronization its time shows up where the program waits for the
GPU. Here that is the copy of the next batch, which counts as loading.

Symptom: batches that lie ready in memory seem to take much of the time
Needs:   torch; cuda; about 8 s
Run:     python trap_cuda_no_sync.py; python fix_cuda_sync.py
"""
import json
import sys
import time

import torch

if not torch.cuda.is_available():
    print("SKIPPED no CUDA device")
    sys.exit(77)

num_steps, side, layers = 30, 4096, 10
batches = [torch.randn(256, side) for _ in range(num_steps)]  # no loader at all


def step(x, weight):
    for _ in range(layers):
        x = torch.tanh(x @ weight)
        weight = torch.tanh(weight @ weight / side)
    return x


def now():
    return time.perf_counter()  # BUG: kernels are queued, the clock does not wait for them


if __name__ == "__main__":
    weight = torch.randn(side, side, device="cuda") / side ** 0.5
    step(batches[0].cuda(), weight)  # warm up
    torch.cuda.synchronize()

    data = training = 0.0
    before = now()
    for batch in batches:
        batch = batch.cuda()  # from pageable memory: waits for the GPU
        loaded = now()
        step(batch, weight)
        done = now()
        data, training, before = data + loaded - before, training + done - loaded, done

    share = data / (data + training)
    healthy = share < 0.3
    print("OBSERVED", json.dumps({"healthy": healthy, "share_of_time_for_data": round(share, 2)}))
    sys.exit(0 if healthy else 1)
