"""DP6: a dataset that holds an open file cannot be sent to a spawned worker.

A spawned worker gets the dataset as a pickle, with all its attributes. An open file cannot be
pickled; its path can.

Symptom: TypeError: cannot pickle '_io.BufferedReader' object
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_open_file.py; python fix_open_on_first_use.py
"""
import json
import sys
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")  # BUG: an open file is part of the pickle

    def __len__(self):
        return 2

    def __getitem__(self, index):
        self.file.seek(index)
        return torch.tensor(self.file.read(1)[0])


if __name__ == "__main__":
    with tempfile.NamedTemporaryFile() as archive:
        archive.write(bytes([10, 11]))
        archive.flush()
        loader = DataLoader(Photos(archive.name), batch_size=2, num_workers=1,
                            multiprocessing_context="spawn")
        batches = [batch.tolist() for batch in loader]

    healthy = batches == [[10, 11]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
