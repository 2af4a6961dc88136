"""DP4: samples of different sizes stop the DataLoader: stack expects each tensor to be equal size.

The default collate function joins the samples of a batch with torch.stack, which takes equal
shapes only: it does not pad, crop or wrap. A batch of equal samples passes, so the error waits
until two different ones meet, which under shuffle can be any step.

Symptom: a key that a later sample lacks: KeyError: 'age'
Needs:   torch; cpu; about 3 s
Run:     python broken_missing_key.py; python fix_same_keys.py
"""
import json
import sys

from torch.utils.data import DataLoader, Dataset

scans = [{"scan": 0.2, "age": 63}, {"scan": 0.1}]


class Scans(Dataset):
    def __len__(self):
        return len(scans)

    def __getitem__(self, index):
        return scans[index]  # BUG: a key of the first sample is asked of all


if __name__ == "__main__":
    loader = DataLoader(Scans(), batch_size=2)

    batch = next(iter(loader))
    ages = batch["age"].tolist() if "age" in batch else []

    healthy = ages == [63, -1]
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(batch), "ages": ages}))
    sys.exit(0 if healthy else 1)
