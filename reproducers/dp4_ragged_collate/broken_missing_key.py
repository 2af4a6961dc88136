"""DP4: a key that a later sample lacks raises KeyError.

The default collate function goes through the keys of the first sample. A key that a later sample
lacks raises KeyError, and a key that the first sample lacks is left out of the batch.

Symptom: KeyError: 'age'
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
        return scans[index]  # BUG: every sample needs the keys of the first


if __name__ == "__main__":
    loader = DataLoader(Scans(), batch_size=2)

    batch = next(iter(loader))
    ages = batch["age"].tolist() if "age" in batch else []

    healthy = ages == [63, -1]
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(batch), "ages": ages}))
    sys.exit(0 if healthy else 1)
