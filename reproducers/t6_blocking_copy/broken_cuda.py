"""T6: a copy from ordinary memory waits for the GPU.

From ordinary memory the driver copies through a buffer of its own, and .to("cuda") waits for the
GPU.

Symptom: image.to("cuda") returns only when the GPU has finished the step before
Needs:   torch; cuda; about 10 s
Run:     python broken_cuda.py; python fix_cuda.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader, TensorDataset

floats_per_image = 32 * 1024 * 1024  # 128 MB: more than the driver can buffer
busy_cycles = 10 ** 9  # about half a second of work on the GPU

if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED no CUDA device")
        sys.exit(77)

    dataset = TensorDataset(torch.zeros(2, floats_per_image))
    for image, in DataLoader(dataset, batch_size=1):  # BUG: not pinned
        image.to("cuda")  # the first round is a warm-up
        torch.cuda.synchronize()
        kernel_from, kernel_to = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        kernel_from.record()
        torch.cuda._sleep(busy_cycles)  # stands for the step that is running
        kernel_to.record()
        start = time.perf_counter()
        on_gpu = image.to("cuda")  # BUG: asks to wait
        waited = time.perf_counter() - start
        torch.cuda.synchronize()
        share = waited * 1000 / kernel_from.elapsed_time(kernel_to)

    healthy = share < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "pinned": image.is_pinned(),
                                  "wait_as_share_of_gpu_work": round(share, 3)}))
    sys.exit(0 if healthy else 1)
