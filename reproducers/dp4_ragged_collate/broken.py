"""DP4: samples of different length cannot be stacked into one batch.

The default collate function builds a batch with torch.stack, which accepts equal shapes only. A
batch in which all samples agree passes, so the error depends on which samples come together.

Symptom: RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [5] at
         entry 1
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

lengths = [4, 4, 3, 5]


class Sentences(Dataset):
    def __len__(self):
        return len(lengths)

    def __getitem__(self, index):
        return {"tokens": torch.arange(1, lengths[index] + 1)}


if __name__ == "__main__":
    dataset = Sentences()
    loader = DataLoader(dataset, batch_size=2)  # BUG: the default collate stacks

    means = []
    for batch in loader:
        tokens = batch["tokens"].float()
        means += tokens.mean(dim=1).tolist()

    healthy = means == [2.5, 2.5, 2.0, 3.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "mean_by_sentence": means}))
    sys.exit(0 if healthy else 1)
