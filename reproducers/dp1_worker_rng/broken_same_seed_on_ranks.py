"""DP1: ranks that use the same seed draw the same augmentations.

The loader draws the base seed of its workers from torch's global generator, or from the generator
that it is given. If that has the same state on all ranks, worker 0 of one rank has the same seed
as worker 0 of the next.

Symptom: 2 ranks, 3 epochs: only 3 of 6 batches are distinct
Needs:   torch; cpu; about 6 s
Run:     python broken_same_seed_on_ranks.py
"""
import json
import subprocess
import sys

import torch
from torch.utils.data import DataLoader, Dataset

num_ranks = 2
num_epochs = 3


class RandomCrops(Dataset):
    """Each sample is the place where a random crop starts, 0 to 99."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return int(torch.randint(100, ()))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        rank = int(sys.argv[1])
        torch.manual_seed(7)  # BUG: on every rank, so worker 0 has the same seed on every rank
        loader = DataLoader(RandomCrops(), batch_size=2, num_workers=1)
        print(json.dumps([batch.tolist() for _ in range(num_epochs) for batch in loader]))
        sys.exit(0)

    launch = [[sys.executable, __file__, str(rank)] for rank in range(num_ranks)]
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in launch]
    batches = [json.loads(rank.communicate()[0]) for rank in ranks]

    crops = [[batch[0] for batch in of_rank] for of_rank in batches]
    distinct = len({tuple(batch) for of_rank in batches for batch in of_rank})
    healthy = distinct == num_ranks * num_epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_batches": distinct,
                                  "crop_by_rank_and_epoch": crops}))
    sys.exit(0 if healthy else 1)
