"""DP4: samples of different sizes stop the DataLoader: stack expects each tensor to be equal size.

The default collate function joins the samples of a batch with torch.stack, which takes equal
shapes only: it does not pad, crop or wrap. A batch of equal samples passes, so the error waits
until two different ones meet, which under shuffle can be any step.

Symptom: 2 lists of 5 ids, padded, made tensors: one batch of 2 rows of 5
Needs:   torch; cpu; about 3 s
Run:     python trap_pad_lists.py; python fix_tensor_of_list.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

sentences = [[1, 2, 3], [6, 7, 8, 9, 10]]
longest = 5


class Sentences(Dataset):
    def __len__(self):
        return len(sentences)

    def __getitem__(self, index):
        ids = sentences[index]
        return torch.tensor(ids + [0] * (longest - len(ids)))  # FIX: tensors are stacked row by row


if __name__ == "__main__":
    loader = DataLoader(Sentences(), batch_size=2)

    batch = next(iter(loader))
    rows = [list(map(int, row)) for row in batch]

    healthy = rows == [[1, 2, 3, 0, 0], [6, 7, 8, 9, 10]]
    print("OBSERVED", json.dumps({"healthy": healthy, "id_by_row_and_position": rows}))
    sys.exit(0 if healthy else 1)
