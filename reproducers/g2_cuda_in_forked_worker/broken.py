"""G2: a forked DataLoader worker uses CUDA after its parent has touched it.

The driver's state does not survive fork(). When CUDA is first touched, torch makes sure that
processes forked later are refused. torch.cuda.is_available() is such a touch, even without a GPU.

Symptom: RuntimeError: Cannot re-initialize CUDA in forked subprocess, from a DataLoader worker
Needs:   torch; cpu or cuda, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.ones(3).to("cuda")  # BUG: this runs in a forked worker


if __name__ == "__main__":
    if torch.version.cuda is None:
        print("SKIPPED this torch is built without CUDA")
        sys.exit(77)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    loader = DataLoader(Photos(), batch_size=2, num_workers=1, multiprocessing_context="fork")
    batches = [batch.to(device) for batch in loader]

    healthy = len(batches) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(batches), "device": device}))
    sys.exit(0 if healthy else 1)
