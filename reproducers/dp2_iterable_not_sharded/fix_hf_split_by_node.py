"""DP2: an IterableDataset yields every sample once per worker and once per rank.

Each DataLoader worker iterates a full copy of the dataset, and so does each DDP rank. There
are no indices for a sampler to divide: unless __iter__ itself skips what the others read,
they all read everything.

Symptom: none: 8 samples in 4 shards, 2 ranks: each comes once, with 0, 1 and 2 workers
Needs:   torch, datasets; cpu; about 8 s
Run:     python fix_hf_split_by_node.py
"""
import json
import os
import sys
import tempfile

from torch.utils.data import DataLoader

os.environ["HF_DATASETS_CACHE"] = tempfile.gettempdir()  # not the one in the home folder
try:
    from datasets import IterableDataset
    from datasets.distributed import split_dataset_by_node
except ImportError:
    print("SKIPPED datasets is not installed")
    sys.exit(77)

num_samples = 8
world_size = 2


def samples_of(shards):
    for shard in shards:
        yield {"sample": shard}
        yield {"sample": shard + 1}


def copies_of_each_sample(num_workers):
    """What the loaders of all ranks hand out together. A rank needs no process of its own here."""
    seen = []
    for rank in range(world_size):
        stream = IterableDataset.from_generator(samples_of, gen_kwargs={"shards": [0, 2, 4, 6]})
        stream = split_dataset_by_node(stream, rank=rank, world_size=world_size)  # FIX: the rank
        loader = DataLoader(stream, batch_size=2, num_workers=num_workers, collate_fn=list)
        for batch in loader:
            seen += [row["sample"] for row in batch]
    return [seen.count(sample) for sample in range(num_samples)]


if __name__ == "__main__":
    copies = [copies_of_each_sample(num_workers) for num_workers in (0, 1, 2)]

    healthy = copies == [[1] * num_samples] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_workers_and_sample": copies}))
    sys.exit(0 if healthy else 1)
