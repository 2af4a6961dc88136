"""DP7: ConcatDataset makes an epoch longer without modulo.

The sampler draws its indices from range(len(dataset)). Here length and items come from the same
list, and an index past the end raises an IndexError.

Symptom: none: every sample comes twice, as intended, and dataset[len(dataset)] raises
Needs:   torch; cpu; about 2 s
Run:     python fix_longer_epoch.py
"""
import json
import sys
from collections import Counter

from torch.utils.data import ConcatDataset, DataLoader, Dataset

good = ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"]
rounds_per_epoch = 2


class Photos(Dataset):
    def __len__(self):
        return len(good)

    def __getitem__(self, index):
        return good[index]


def past_the_end(dataset):
    """What dataset[len(dataset)] does. It should raise an IndexError."""
    try:
        return "served " + str(dataset[len(dataset)])
    except IndexError:
        return "IndexError"


if __name__ == "__main__":
    dataset = ConcatDataset([Photos()] * rounds_per_epoch)  # FIX: explicit, and needs no modulo
    loader = DataLoader(dataset, batch_size=2, shuffle=True)
    served = Counter(name for batch in loader for name in batch)

    copies = [served[name] for name in good]
    end = past_the_end(dataset)
    healthy = copies == [rounds_per_epoch] * len(good) and end == "IndexError"
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies,
                                  "past_the_end": end}))
    sys.exit(0 if healthy else 1)
