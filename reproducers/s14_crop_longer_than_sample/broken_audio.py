"""S14: a random segment of 8000 samples is taken from a clip of 5000.

The last possible start is len(wave) - segment, which is negative.

Symptom: ValueError: empty range for randrange() (0, -2999, -2999)
Needs:   torch; cpu; about 3 s
Run:     python broken_audio.py
"""
import json
import random
import sys

import torch
from torch.utils.data import DataLoader, Dataset

segment = 8000


class Clips(Dataset):
    def __init__(self, waves):
        self.waves = waves

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, index):
        wave = self.waves[index]
        start = random.randint(0, len(wave) - segment)  # BUG: negative for a short clip
        return wave[start:start + segment]


if __name__ == "__main__":
    random.seed(0)
    waves = [torch.ones(12000), torch.ones(8000), torch.ones(5000)]
    shapes = [list(batch.shape) for batch in DataLoader(Clips(waves), batch_size=3)]

    healthy = shapes == [[3, 8000]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": len(shapes)}))
    sys.exit(0 if healthy else 1)
