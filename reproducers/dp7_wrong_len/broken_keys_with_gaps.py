"""DP7: a correct length is not enough if the keys have gaps.

The sampler draws positions from 0 to len(dataset) - 1. Items stored under ids, or under the row
numbers of a filtered table, have other keys.

Symptom: KeyError: 1
Needs:   torch; cpu; about 2 s
Run:     python broken_keys_with_gaps.py; python fix_list_of_keys.py
"""
import json
import sys
from collections import Counter

from torch.utils.data import DataLoader, Dataset

rows = {0: "a.jpg", 2: "b.jpg", 3: "c.jpg", 5: "d.jpg"}  # what is left of 6 after a filter


class Photos(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]  # BUG: index is a position from 0 to 3, the keys are 0, 2, 3, 5


if __name__ == "__main__":
    loader = DataLoader(Photos(rows), batch_size=2, shuffle=True)
    served = Counter(name for batch in loader for name in batch)

    copies = [served[name] for name in rows.values()]
    healthy = copies == [1] * len(rows)
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_sample": copies}))
    sys.exit(0 if healthy else 1)
