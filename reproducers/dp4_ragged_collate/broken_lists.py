"""DP4: samples of different sizes stop the DataLoader: stack expects each tensor to be equal size.

The default collate function joins the samples of a batch with torch.stack, which takes equal
shapes only: it does not pad, crop or wrap. A batch of equal samples passes, so the error waits
until two different ones meet, which under shuffle can be any step.

Symptom: Python lists of 3 and 5 ids: each element in list of batch should be of equal size
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
        return list(range(1, lengths[index] + 1))  # BUG: a list, and not even of one length


if __name__ == "__main__":
    loader = DataLoader(Sentences(), batch_size=2)

    batch = next(iter(loader))

    healthy = len(batch) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "rows": len(batch)}))
    sys.exit(0 if healthy else 1)
