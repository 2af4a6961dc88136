"""D9: batches of different sizes are made once for all data, then dealt out to the ranks.

A bucket sampler that makes its batches from one rank's share of the data gives the ranks unequal
numbers of batches. If every rank makes the same list of batches from all data, whole batches can
be dealt out evenly.

Symptom: none: the shares make 3 and 4 batches, the batches dealt out are 3 and 3
Needs:   torch; cpu; about 2 s
Run:     python fix_deal_out_batches.py
"""
import json
import sys

from torch.utils.data import DataLoader

lengths = [9, 9, 9, 8, 5, 5, 3, 4, 2, 2, 1, 9]  # tokens per sample
dataset = lengths  # as if each sample were its length
max_tokens, world_size = 12, 2


def make_batches(indices):
    """Lists of indices with at most max_tokens tokens, short samples first."""
    batches, tokens = [], max_tokens + 1
    for index in sorted(indices, key=lambda i: lengths[i]):
        if tokens + lengths[index] > max_tokens:
            batches.append([])
            tokens = 0
        batches[-1].append(index)
        tokens += lengths[index]
    return batches


def batches_of_rank(batches, rank, world_size):
    usable = len(batches) - len(batches) % world_size  # the rest cannot be shared out evenly
    return batches[rank:usable:world_size]


if __name__ == "__main__":
    per_share, dealt_out = [], []
    for rank in range(world_size):
        share = range(rank, len(lengths), world_size)
        per_share.append(len(make_batches(share)))

        batches = make_batches(range(len(lengths)))  # FIX: the same list on every rank
        loader = DataLoader(dataset, batch_sampler=batches_of_rank(batches, rank, world_size))
        dealt_out.append(sum(1 for batch in loader))

    healthy = per_share[0] != per_share[1] and dealt_out[0] == dealt_out[1] > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "batches_per_share_by_rank": per_share,
                                  "batches_dealt_out_by_rank": dealt_out}))
    sys.exit(0 if healthy else 1)
