"""U8: training from a staged copy of the data.

The data is copied once, as one archive, to a local disk. Training reads the local files.

Symptom: none: two epochs take little longer than their steps, the staging included
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import io
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
    with tempfile.TemporaryDirectory(prefix="share") as share, \
            tempfile.TemporaryDirectory() as local:  # FIX: a local disk
        fill(share)
        start = time.perf_counter()
        archive = read(os.path.join(share, "all.zip"))  # FIX: one trip for everything
        zipfile.ZipFile(io.BytesIO(archive)).extractall(local)
        dataset, trips_by_epoch = Photos(local), []  # FIX: reads the local copies
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
