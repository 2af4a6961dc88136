"""DP2: split_dataset_by_node gives each sample to one rank.

A Hugging Face IterableDataset splits its shards between the workers of a loader by itself. You
have to tell it its rank.

Symptom: none: 2 ranks, each sample comes once with 0, 1 and 2 workers
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
