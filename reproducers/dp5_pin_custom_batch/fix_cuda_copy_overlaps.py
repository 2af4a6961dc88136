"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: image.to("cuda", non_blocking=True) returns only when the GPU has done its work
         (what the documentation says; these two scripts have not been run on a GPU yet)
Needs:   torch; cuda; about 10 s
Run:     python broken_cuda_copy_waits.py; python fix_cuda_copy_overlaps.py
"""
import json
import sys
import time
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset

floats_per_image = 32 * 1024 * 1024  # 128 MB: far more than the driver can hold back for itself
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
        torch.cuda._sleep(busy_cycles)  # stands in for the training step that is under way
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
