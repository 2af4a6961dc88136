"""DP14: set_epoch is called on None, because one process has no DistributedSampler.

The script makes the sampler only if it is distributed, and calls set_epoch in any case.

Symptom: AttributeError: 'NoneType' object has no attribute 'set_epoch'
Needs:   torch; cpu; about 2 s
Run:     python broken_set_epoch_no_sampler.py; python fix_one_gpu_or_many.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

distributed = False  # one GPU, without torchrun

if __name__ == "__main__":
    dataset = TensorDataset(torch.arange(8))
    sampler = DistributedSampler(dataset, num_replicas=1, rank=0) if distributed else None
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, shuffle=sampler is None)
    epochs = []
    for epoch in range(3):
        sampler.set_epoch(epoch)  # BUG: also without a sampler
        epochs += [batch.tolist() for (batch,) in loader]

    healthy = len(epochs) == 3 and epochs[0] != epochs[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs": len(epochs)}))
    sys.exit(0 if healthy else 1)
