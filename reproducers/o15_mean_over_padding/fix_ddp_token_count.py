"""O15: a token count over all ranks makes DDP equal to one large batch.

DDP averages the gradients over the ranks. The loss of each rank is its sum, divided by the tokens
of all ranks and multiplied by the number of ranks.

Symptom: none: with 2 and 30 tokens on two ranks the gradient is that of all 32 tokens
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_ddp_token_count.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def mean_over_all_ranks(logits, labels):
    """A loss whose gradient, averaged by DDP, is that of one batch with the tokens of all ranks."""
    total = (labels != -100).sum()
    dist.all_reduce(total)  # FIX: the number of tokens on all ranks
    loss = nn.functional.cross_entropy(logits, labels, reduction="sum")
    return loss * dist.get_world_size() / total.clamp(min=1)  # FIX: DDP divides by the world size


torch.manual_seed(0)
batches = [(torch.randn(n, 8), torch.randint(5, (n,))) for n in (2, 30)]  # one for each rank
first = nn.Linear(8, 5)


def train(rank, folder, errors):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    inputs, labels = (torch.cat(parts) for parts in zip(*batches))
    expected, = torch.autograd.grad(nn.functional.cross_entropy(first(inputs), labels),
                                    first.weight)
    inputs, labels = batches[rank]
    for column, criterion in enumerate((nn.functional.cross_entropy, mean_over_all_ranks)):
        first.zero_grad()
        model = DistributedDataParallel(first)
        criterion(model(inputs), labels).backward()
        errors[column, rank] = (first.weight.grad - expected).norm() / expected.norm()


if __name__ == "__main__":
    errors = torch.zeros(2, 2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, errors), nprocs=2,
                                              start_method="fork")

    mean_of_each_rank, over_all_ranks = [[round(e, 3) for e in row] for row in errors.tolist()]
    healthy = max(over_all_ranks) < 0.001 < min(mean_of_each_rank)
    print("OBSERVED", json.dumps({"healthy": healthy, "error_of_gradient_by_rank": over_all_ranks,
                                  "error_with_a_mean_per_rank_by_rank": mean_of_each_rank}))
    sys.exit(0 if healthy else 1)
