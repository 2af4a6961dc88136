"""U8: training is slow because every sample costs a round trip to slow storage.

On a network share or an object store a small file costs a round trip, however few bytes it has,
and every epoch requests every file again. Staging copies the data once to a local disk, in a few
large pieces, before training starts.

Symptom: an epoch takes five times as long as its steps, and the next epoch again
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile
import time
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset

num_files, batch_size, epochs = 24, 2, 2
round_trip = 0.040  # stands for one request to network storage
step_wait = 0.020  # stands for one training step on a GPU
trips = 0


def read(path):
    """The bytes of a file. A file on the share costs one round trip."""
    global trips
    if os.path.basename(os.path.dirname(path)).startswith("share"):
        trips += 1
        time.sleep(round_trip)
    with open(path, "rb") as file:
        return file.read()


def fill(share):
    """Writes 24 small files to the share, and one archive of them."""
    with zipfile.ZipFile(os.path.join(share, "all.zip"), "w") as archive:
        for index in range(num_files):
            with open(os.path.join(share, "%d.bin" % index), "wb") as file:
                file.write(os.urandom(20_000))
            archive.write(file.name, "%d.bin" % index)


class Photos(Dataset):
    def __init__(self, folder):
        self.folder = folder

    def __len__(self):
        return num_files

    def __getitem__(self, index):
        data = read(os.path.join(self.folder, "%d.bin" % index))
        return torch.tensor(list(data[:8]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="share") as share:
        fill(share)
        start = time.perf_counter()
        dataset, trips_by_epoch = Photos(share), []  # BUG: a trip for each sample
        for epoch in range(epochs):
            before = trips
            for batch in DataLoader(dataset, batch_size):
                time.sleep(step_wait)
            trips_by_epoch.append(trips - before)
        seconds = time.perf_counter() - start

    slowdown = seconds / (epochs * num_files / batch_size * step_wait)
    healthy = 1 <= slowdown < 3 and trips < num_files
    print("OBSERVED", json.dumps({"healthy": healthy, "time_over_time_of_steps": round(slowdown, 1),
                                  "trips_in_all": trips, "trips_by_epoch": trips_by_epoch}))
    sys.exit(0 if healthy else 1)
