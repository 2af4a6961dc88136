"""T7: a function that shows the waits of a loop in rows of num_workers.

The function prints the wait for each batch in rows of num_workers. Workers that are too slow show
as one long column.

Symptom: none: it shows long waits with 3 workers and short ones with 10
Needs:   torch; cpu; about 6 s
Run:     python fix_print_the_waits.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader

num_batches = 30
load_wait = 0.120  # stands for the time to load one batch from storage
step_wait = 0.020  # stands for one training step on a GPU


class Photos(torch.utils.data.Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        time.sleep(load_wait)
        return torch.tensor(index)


def waits_by_round(loader, train_step, steps=60):
    """Seconds that the loop waits for each batch, in rows of num_workers."""
    waits, before = [], time.perf_counter()
    for number, batch in enumerate(loader):
        waits.append(time.perf_counter() - before)
        train_step(batch)  # must end with loss.item(), which waits for the GPU
        if number == steps:
            break
        before = time.perf_counter()
    row = max(1, loader.num_workers)
    return [waits[i:i + row] for i in range(0, len(waits), row)]


def steps_per_batch(loader):
    """The mean wait after the first round, in steps. The first epoch starts the workers."""
    epochs = [waits_by_round(loader, lambda batch: time.sleep(step_wait)) for _ in range(3)]
    return min(sum(map(sum, rows[1:])) / sum(map(len, rows[1:])) for rows in epochs[1:]) / step_wait


if __name__ == "__main__":
    dataset = Photos()
    loader = DataLoader(dataset, num_workers=3, persistent_workers=True)  # dpkb: ignore[T7]
    few = steps_per_batch(loader)
    loader = DataLoader(dataset, num_workers=10, persistent_workers=True)  # FIX
    enough = steps_per_batch(loader)

    healthy = enough < 0.6 * few
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_waited_3_workers": round(few, 2),
                                  "steps_waited_10_workers": round(enough, 2)}))
    sys.exit(0 if healthy else 1)
