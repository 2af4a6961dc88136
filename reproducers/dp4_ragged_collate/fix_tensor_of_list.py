"""DP4: padded ids returned as a tensor are stacked row by row.

Lists would be taken apart, position by position. A tensor is stacked as it is.

Symptom: none: each row is one sample
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
    dataset = Sentences()
    loader = DataLoader(dataset, batch_size=2)
    row, sample = next(iter(loader))[0], dataset[0]
    assert row[: len(sample)].tolist() == sample.tolist(), "the batch is not made of rows"

    batch = next(iter(loader))
    rows = [list(map(int, row)) for row in batch]

    healthy = rows == [[1, 2, 3, 0, 0], [6, 7, 8, 9, 10]]
    print("OBSERVED", json.dumps({"healthy": healthy, "id_by_row_and_position": rows}))
    sys.exit(0 if healthy else 1)
