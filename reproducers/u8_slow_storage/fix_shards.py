"""U8: data that does not fit the local disk is read in shards of 12 samples.

A shard holds 12 samples and is read in one request. The samples within it need no further trip.

Symptom: none: 4 round trips serve two epochs
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fix_shards.py
"""
import io
import json
import os
import sys
import tempfile
import time
import zipfile

import torch
from torch.utils.data import DataLoader, IterableDataset

num_files, batch_size, epochs = 24, 2, 2
round_trip = 0.040  # stands for one request to network storage
step_wait = 0.020  # stands for one training step on a GPU
trips = 0


def fetch(path):
    """Reads a file of the share: one round trip, then the bytes."""
    global trips
    trips += 1
    time.sleep(round_trip)
    with open(path, "rb") as file:
        return file.read()


def fill(share):
    """Writes the samples to the share, 12 in each archive."""
    for shard in range(num_files // 12):
        with zipfile.ZipFile(os.path.join(share, "%d.zip" % shard), "w") as archive:
            for index in range(12 * shard, 12 * shard + 12):
                archive.writestr("%d.bin" % index, os.urandom(20_000))


class Photos(IterableDataset):
    def __init__(self, folder):
        self.folder = folder

    def __iter__(self):
        for name in os.listdir(self.folder):
            shard = fetch(os.path.join(self.folder, name))  # FIX: one trip for 12 samples
            with zipfile.ZipFile(io.BytesIO(shard)) as archive:
                for member in archive.namelist():
                    yield torch.tensor(list(archive.read(member)[:8]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as share:
        fill(share)
        start = time.perf_counter()
        dataset, trips_by_epoch = Photos(share), []
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
