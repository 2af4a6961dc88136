"""DP23: collate_fn returns None for an empty batch, and the loop unpacks it.

All samples of the third batch are damaged. collate returns None, as it should, and the loop does
not skip it.

Symptom: TypeError: cannot unpack non-iterable NoneType object
Needs:   torch; cpu; about 2 s
Run:     python broken_none_batch.py; python fix_drop_in_collate.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import default_collate

samples = [None, (torch.ones(3), 1), (torch.ones(3), 2), (torch.ones(3), 3), None, None]


def collate(samples):
    kept = [sample for sample in samples if sample is not None]
    return default_collate(kept) if kept else None


if __name__ == "__main__":
    seen = []
    for batch in DataLoader(samples, batch_size=2, collate_fn=collate):
        images, labels = batch  # BUG: the batch can be None
        seen += labels.tolist()

    healthy = seen == [1, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "seen": seen}))
    sys.exit(0 if healthy else 1)
