"""Q4: a wrapper around the dataset adds the index of the sample to its error.

The wrapper raises a RuntimeError that names the index and the original error. It works with and
without workers.

Symptom: none: the message contains `sample 5`
Needs:   torch; cpu; about 2 s
Run:     python fix_find_the_sample.py
"""
import json
import re
import sys

from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            raise ValueError("cannot identify image file")
        return index


class NameTheSample(Dataset):
    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        try:
            return self.dataset[index]
        except Exception as error:
            raise RuntimeError(f"sample {index}: {error!r}") from error  # FIX: the index


if __name__ == "__main__":
    found = []
    try:
        for batch in DataLoader(NameTheSample(Images()), num_workers=1):
            print(batch)
    except RuntimeError as error:
        found = re.findall(r"^RuntimeError: (sample \d+: \w+)", str(error), re.MULTILINE)

    healthy = found == ["sample 5: ValueError"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
