"""G2: a forked DataLoader worker uses CUDA while the model is on the GPU.

The usual form: the model was moved first, so CUDA is initialised in the parent.

Symptom: RuntimeError: Cannot re-initialize CUDA in forked subprocess, from a DataLoader worker
Needs:   torch; cuda, linux; about 10 s
Run:     python broken_cuda.py
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
    if not torch.cuda.is_available():
        print("SKIPPED no CUDA device")
        sys.exit(77)
    device = "cuda"
    model = torch.nn.Linear(3, 1).to(device)
    loader = DataLoader(Photos(), batch_size=2, num_workers=1, multiprocessing_context="fork")
    batches = [model(batch) for batch in loader]

    healthy = len(batches) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(batches), "device": device}))
    sys.exit(0 if healthy else 1)
