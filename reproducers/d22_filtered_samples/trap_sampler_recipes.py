"""D22: no setting of the sampler helps against samples that are dropped after it.

set_epoch, drop_last, a sampler that pads again, a length divisible by the number of ranks: all of
them decide which indices a rank gets, and collate_fn drops samples later.

Symptom: of 20 epochs, 8 to 11 have unequal numbers of steps
Needs:   torch; cpu; about 3 s
Run:     python trap_sampler_recipes.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

unreadable = {4, 6, 8, 10}
world_size, num_epochs = 2, 20


class Photos(Dataset):
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return None if index in unreadable else torch.tensor([float(index)])


def drop_unreadable(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


class EvenSampler(DistributedSampler):
    def __iter__(self):
        indices = list(super().__iter__())
        rest = len(indices) % self.num_replicas
        if rest:
            indices += indices[:self.num_replicas - rest]
        return iter(indices)


def uneven_epochs(length, sampler_class, drop_last):
    """In how many epochs the ranks' loops differ. Both ranks run in this process."""
    dataset, uneven = Photos(length), 0
    for epoch in range(num_epochs):
        steps = []
        for rank in range(world_size):
            sampler = sampler_class(dataset, world_size, rank, drop_last=drop_last)
            sampler.set_epoch(epoch)
            loader = DataLoader(dataset, 2, sampler=sampler, collate_fn=drop_unreadable,
                                drop_last=drop_last)
            steps.append(sum(1 for batch in loader if batch is not None))
        uneven += steps[0] != steps[1]
    return uneven


if __name__ == "__main__":
    uneven = {  # BUG: all of these act before collate_fn drops samples
        "set_epoch": uneven_epochs(13, DistributedSampler, drop_last=False),
        "and_drop_last": uneven_epochs(13, DistributedSampler, drop_last=True),
        "and_even_sampler": uneven_epochs(13, EvenSampler, drop_last=False),
        "and_divisible_length": uneven_epochs(12, DistributedSampler, drop_last=False),
    }

    healthy = 0 in uneven.values()
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs": num_epochs,
                                  "uneven_epochs": uneven}))
    sys.exit(0 if healthy else 1)
