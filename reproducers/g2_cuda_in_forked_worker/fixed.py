"""G2: workers return CPU tensors, and the training loop moves them to the GPU.

The forked worker never touches CUDA, so it does not matter that its parent has.

Symptom: none: both batches arrive
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
        return torch.ones(3)  # FIX: a CPU tensor, moved by the training process


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
