"""DP4: samples of different sizes stop the DataLoader: stack expects each tensor to be equal size.

The default collate function joins the samples of a batch with torch.stack, which takes equal
shapes only: it does not pad, crop or wrap. A batch of equal samples passes, so the error waits
until two different ones meet, which under shuffle can be any step.

Symptom: the first batch passes, the second raises: got [3] at entry 0 and [5] at entry 1
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

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
    lengths = torch.tensor([len(s["tokens"]) for s in samples])
    return {"tokens": tokens, "mask": torch.arange(tokens.shape[1]) < lengths[:, None]}


if __name__ == "__main__":
    loader = DataLoader(Sentences(), batch_size=2, collate_fn=pad)  # FIX: pad to the longest

    means = []
    for batch in loader:
        tokens = batch["tokens"].float()
        real = batch["mask"]  # FIX: and keep the padding out of every average
        means += ((tokens * real).sum(dim=1) / real.sum(dim=1)).tolist()

    expected = [(1 + length) / 2 for length in lengths]
    healthy = means == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "mean_by_sentence": means}))
    sys.exit(0 if healthy else 1)
