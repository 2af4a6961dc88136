"""D22: a barrier at the end turns an immediate error into a wait for the timeout.

Without it rank 0 exits and rank 1 gets a closed connection. With it rank 0 stays alive in the
barrier, and rank 1 waits for a gradient that never comes.

Symptom: rank 1 waits for 6 s: Timed out waiting 6000ms for recv operation to complete
Needs:   torch; cpu, linux; about 14 s
Run:     python trap_final_barrier.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

unreadable = {4, 6}  # of 12: both are in one batch of rank 0
num_epochs = 3


class Photos(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return None if index in unreadable else torch.tensor([float(index)])


def drop_unreadable(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    DistributedDataParallel(torch.nn.Linear(1, 1))  # the first one may import for seconds
    patience = dist.new_group(timeout=timedelta(seconds=6))  # the default is 30 minutes
    model = DistributedDataParallel(torch.nn.Linear(1, 1), process_group=patience)
    dataset = Photos()
    sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=2, sampler=sampler, collate_fn=drop_unreadable)
    for epoch in range(num_epochs):
        for batch in loader:
            if batch is None:
                continue
            model(batch).mean().backward()
            steps[rank, epoch] += 1
        print("rank", rank, "has finished epoch", epoch, flush=True)
    dist.barrier()  # BUG: rank 0 stays alive, so rank 1 waits for it


if __name__ == "__main__":
    steps = torch.zeros(2, num_epochs, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps[0] == steps[1] and min(steps[0]) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank_and_epoch": steps}))
    sys.exit(0 if healthy else 1)
