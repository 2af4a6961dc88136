"""DP4: if every sample has every key, no key is lost.

The default collate function goes through the keys of the first sample. A placeholder for missing
values gives every sample the same keys.

Symptom: none: the batch has 'age' and 'scan'
Needs:   torch; cpu; about 3 s
Run:     python broken_extra_key.py; python fix_same_keys.py
"""
import json
import sys

from torch.utils.data import DataLoader, Dataset

scans = [{"scan": 0.1}, {"scan": 0.2, "age": 63}]


class Scans(Dataset):
    def __len__(self):
        return len(scans)

    def __getitem__(self, index):
        return {"age": -1, **scans[index]}  # FIX: every key in every sample


if __name__ == "__main__":
    loader = DataLoader(Scans(), batch_size=2)

    batch = next(iter(loader))
    ages = batch["age"].tolist() if "age" in batch else []

    healthy = ages == [-1, 63]
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(batch), "ages": ages}))
    sys.exit(0 if healthy else 1)
