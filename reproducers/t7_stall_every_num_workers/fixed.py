"""T7: with enough workers the regular stalls are gone.

With 10 workers a batch is ready in each step, because the load time divided by num_workers is less
than the time of a step.

Symptom: none: with 10 workers the loop hardly waits
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

num_batches, shown = 21, 3
load_wait = 0.120  # stands for the time to load one batch from storage
step_wait = 0.020  # stands for one training step on a GPU


class Photos(Dataset):
    def __len__(self):
        return num_batches

    def __getitem__(self, index):
        time.sleep(load_wait)
        return torch.tensor(index)


if __name__ == "__main__":
    loader = DataLoader(Photos(), num_workers=10,  # FIX: load time / workers < step time
                        persistent_workers=True)
    list(loader)  # a first epoch, to start the workers
    epochs = []
    for _ in range(3):
        waits, before = [], time.perf_counter()
        for batch in loader:
            waits.append(time.perf_counter() - before)
            time.sleep(step_wait)
            before = time.perf_counter()
        epochs.append(waits[shown:])  # without the first round, which fills the queue

    waits = min(epochs, key=sum)  # other work on the machine can only add waits
    share = sum(waits) / (sum(waits) + step_wait * len(waits))
    rounds = [waits[i:i + 3] for i in range(0, len(waits), 3)]
    in_steps = [[round(wait / step_wait) for wait in waits] for waits in rounds]
    healthy = share < 0.3
    print("OBSERVED", json.dumps({
        "healthy": healthy, "share_of_time_waiting": round(share, 2),
        "wait_in_steps_by_round_and_batch": in_steps}))
    sys.exit(0 if healthy else 1)
