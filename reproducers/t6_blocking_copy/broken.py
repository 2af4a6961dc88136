"""T6: the copy of each batch to the GPU holds up the program.

A copy is asynchronous only from pinned memory and with non_blocking=True; without either of them
it waits. The DataLoader pins what its workers collate, as its last step: what is computed from
that afterwards lies in ordinary memory again.

Symptom: pin_memory=True and non_blocking=True, but what is copied is not what was pinned
Needs:   torch; cpu or cuda; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.zeros(4, 3, 8, 8, dtype=torch.uint8))
sent_from = []


def send(tensor):
    """Stands for tensor.to("cuda", non_blocking=True): notes which memory it would read."""
    sent_from.append(tensor.data_ptr())
    return tensor


if __name__ == "__main__":
    pinned_memory = []
    for images, in DataLoader(dataset, batch_size=2, pin_memory=True):
        pinned_memory.append(images.data_ptr())  # the pin step is over: this is what it has pinned
        images = send(images.float() / 255)  # BUG: new memory, which nothing has pinned
        last = images  # else the next batch may get the same memory

    from_pinned = [sent == pinned for sent, pinned in zip(sent_from, pinned_memory)]
    healthy = all(from_pinned) and images.dtype == torch.float32
    print("OBSERVED", json.dumps({"healthy": healthy, "from_pinned_memory_by_batch": from_pinned}))
    sys.exit(0 if healthy else 1)
