"""DP4: Python lists of different length raise their own message.

The default collate function does not stack Python lists. It takes them apart, position by
position, so a batch of lists becomes a list of columns.

Symptom: RuntimeError: each element in list of batch should be of equal size
Needs:   torch; cpu; about 3 s
Run:     python broken_lists.py; python trap_pad_lists.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

lengths = [3, 5]


class Sentences(Dataset):
    def __len__(self):
        return len(lengths)

    def __getitem__(self, index):
        return list(range(1, lengths[index] + 1))  # BUG: Python lists of different length


if __name__ == "__main__":
    loader = DataLoader(Sentences(), batch_size=2)

    batch = next(iter(loader))

    healthy = len(batch) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "rows": len(batch)}))
    sys.exit(0 if healthy else 1)
