"""T6: converting a batch before the copy loses the pinned memory.

A host-to-device copy can run while the GPU works only if it reads pinned memory and says
non_blocking=True. The DataLoader pins each batch as its last step. A tensor computed from the batch
afterwards, as in images.float() / 255, lies in new memory, which is not pinned.

Symptom: pin_memory=True and non_blocking=True are set, but the copy does not start from the batch
         that the loader has pinned
Needs:   torch; cpu or cuda; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (1, 13):
    print("SKIPPED torch 1.13 or newer is needed (TorchDispatchMode)")
    sys.exit(77)
from torch.utils._python_dispatch import TorchDispatchMode

# On a machine without a GPU the copies go to "meta", a device without memory.
device = "cuda" if torch.cuda.is_available() else "meta"


class Copies(TorchDispatchMode):
    """Lists the copies from the CPU to another device that are made inside `with`."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        if str(function).startswith("aten._to_copy") and args[0].device.type == "cpu":
            if result.device.type != "cpu":
                self.seen.append({"megabytes": args[0].numel() * args[0].element_size() / 2**20,
                                  "pinned": args[0].is_pinned(), "address": args[0].data_ptr(),
                                  "non_blocking": bool(kwargs.get("non_blocking"))})
        return result


if __name__ == "__main__":
    images, labels = torch.zeros(4, 3, 8, 8, dtype=torch.uint8), torch.zeros(4, dtype=torch.long)
    dataset = torch.utils.data.TensorDataset(images, labels)
    from_loader, kept = [], []
    copies = Copies()
    loader = DataLoader(dataset, batch_size=2, pin_memory=True)
    for images, labels in loader:
        from_loader += [images.data_ptr(), labels.data_ptr()]
        kept.append(images)  # so that no later tensor gets the same memory
        with copies:
            images = (images.float() / 255).to(device, non_blocking=True)  # BUG: copies new memory
            labels = labels.to(device, non_blocking=True)

    from_loader_by_copy = [copy["address"] == address
                           for copy, address in zip(copies.seen, from_loader)]
    asynchronous = [copy["non_blocking"] for copy in copies.seen]
    pinned = [device == "meta" or copy["pinned"] for copy in copies.seen]
    healthy = all(pinned) and from_loader_by_copy == asynchronous == [True] * len(from_loader)
    print("OBSERVED", json.dumps({"healthy": healthy, "non_blocking_by_copy": asynchronous,
                                  "from_loader_by_copy": from_loader_by_copy}))
    sys.exit(0 if healthy else 1)
