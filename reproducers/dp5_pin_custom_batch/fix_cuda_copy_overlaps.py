"""DP5: the copy of a pinned batch returns while the GPU is still busy.

A copy from pinned memory to the GPU can run while the GPU works. CUDA copies pageable memory
through a buffer of its own, and the program waits for that.

Symptom: none: is_pinned() is True, and .to(non_blocking=True) returns at once
Needs:   torch; cuda; about 10 s
Run:     python broken_cuda_copy_waits.py; python fix_cuda_copy_overlaps.py
"""
import json
import sys
import time
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset

floats_per_image = 32 * 1024 * 1024  # 128 MB: far more than the driver can buffer
busy_cycles = 10 ** 9  # about half a second of work on the GPU


@dataclass
class Batch:
    image: torch.Tensor

    def pin_memory(self):  # FIX
        self.image = self.image.pin_memory()
        return self


def collate(samples):
    return Batch(torch.stack([image for image, in samples]))


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED no CUDA device")
        sys.exit(77)

    dataset = TensorDataset(torch.zeros(2, floats_per_image))
    for batch in DataLoader(dataset, batch_size=1, collate_fn=collate, pin_memory=True):
        batch.image.to("cuda")  # the first round warms up: context, allocator
        torch.cuda.synchronize()
        kernel_from, kernel_to = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        kernel_from.record()
        torch.cuda._sleep(busy_cycles)  # in place of a training step that is still running
        kernel_to.record()
        start = time.perf_counter()
        batch.image.to("cuda", non_blocking=True)
        waited = time.perf_counter() - start
        torch.cuda.synchronize()
        share = waited * 1000 / kernel_from.elapsed_time(kernel_to)

    pinned = batch.image.is_pinned()
    healthy = pinned and share < 0.5
    print("OBSERVED", json.dumps({"healthy": healthy, "pinned": pinned,
                                  "wait_as_share_of_gpu_work": round(share, 3)}))
    sys.exit(0 if healthy else 1)
