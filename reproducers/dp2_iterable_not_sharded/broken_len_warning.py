"""DP2: twice as many batches come as len(loader) promises, often without a warning.

DataLoader does not divide an IterableDataset. It hands indices to the workers of a map-style
dataset, but an iterable one has no indices: each worker of each rank gets a copy of the dataset
and reads it from start to end.

Symptom: 8 batches promised and 16 come, with a warning; 4 promised and 8 come, without one
Needs:   torch; cpu; about 4 s
Run:     python broken_len_warning.py
"""
import json
import sys
import warnings

from torch.utils.data import DataLoader, IterableDataset

num_samples = 8


class Stream(IterableDataset):
    def __len__(self):
        return num_samples

    def __iter__(self):
        return iter(range(num_samples))  # BUG: each of the 2 workers reads all


def count(batch_size):
    """Batches promised, batches that came, and whether DataLoader warned of it."""
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2, collate_fn=list)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        promised, batches = len(loader), list(loader)
    for warning in caught:
        print(warning.message, file=sys.stderr)
    warned = any("Length of IterableDataset" in str(warning.message) for warning in caught)
    return promised, len(batches), warned, sum(len(set(b)) < len(b) for b in batches)


if __name__ == "__main__":
    runs = [count(batch_size) for batch_size in (1, 2)]
    promised, came, warned, repeats = (list(column) for column in zip(*runs))

    healthy = came == promised
    print("OBSERVED", json.dumps({"healthy": healthy, "promised_by_run": promised,
                                  "batches_by_run": came, "warned_by_run": warned,
                                  "batches_with_a_repeat_by_run": repeats}))
    sys.exit(0 if healthy else 1)
