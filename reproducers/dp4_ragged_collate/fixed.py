"""DP4: sequences padded to the longest of the batch, with a mask.

A collate function of your own receives the list of samples. It can pad them to the largest of the
batch and return a mask, which is True for the real values.

Symptom: none: every sentence keeps its own mean
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from collections import Counter

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

lengths = [4, 4, 3, 5]


class Sentences(Dataset):
    def __len__(self):
        return len(lengths)

    def __getitem__(self, index):
        return {"tokens": torch.arange(1, lengths[index] + 1)}


def pad(samples):
    tokens = pad_sequence([s["tokens"] for s in samples], batch_first=True, padding_value=0)
    real = torch.tensor([len(s["tokens"]) for s in samples])
    return {"tokens": tokens, "mask": torch.arange(tokens.shape[1]) < real[:, None]}


if __name__ == "__main__":
    dataset = Sentences()
    print(Counter(tuple(dataset[i]["tokens"].shape) for i in range(len(dataset))))
    loader = DataLoader(dataset, batch_size=2, collate_fn=pad)  # FIX: pad to the longest

    means = []
    for batch in loader:
        tokens = batch["tokens"].float()
        real = batch["mask"]  # FIX: and keep the padding out of every average
        means += ((tokens * real).sum(dim=1) / real.sum(dim=1)).tolist()

    healthy = means == [2.5, 2.5, 2.0, 3.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "mean_by_sentence": means}))
    sys.exit(0 if healthy else 1)
