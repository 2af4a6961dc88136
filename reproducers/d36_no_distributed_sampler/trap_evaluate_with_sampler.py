"""D36: a DistributedSampler pads an odd number of samples, so evaluation counts one twice.

It repeats samples from the start until all ranks have equally many. That keeps training from
hanging, but each repeated sample counts twice in a sum over the ranks.

Symptom: 12 samples are evaluated instead of 11: 10 correct instead of 9, an accuracy of 0.909
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_evaluate_with_sampler.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

dataset = [(torch.tensor([i - 5.0]), i >= 4) for i in range(11)]


def evaluate(rank, folder, correct_by_rank, accuracies):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = torch.nn.Linear(1, 1)
    model.weight.data.fill_(1)
    model.bias.data.zero_()
    model.eval()
    sampler = DistributedSampler(dataset, shuffle=False)  # BUG: 6 + 6 samples, from 11
    loader = DataLoader(dataset, batch_size=2, sampler=sampler)
    correct = torch.zeros(1)
    with torch.no_grad():
        for x, label in loader:
            correct += ((model(x)[:, 0] > 0) == label).sum()
    correct_by_rank[rank] = correct
    dist.all_reduce(correct)
    accuracies[rank] = correct / len(dataset)


if __name__ == "__main__":
    correct_by_rank = torch.zeros(2).share_memory_()
    accuracies = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(evaluate, args=(folder, correct_by_rank, accuracies),
                                              nprocs=2, start_method="fork")

    correct = correct_by_rank.tolist()
    accuracy = [round(value, 3) for value in accuracies.tolist()]
    expected = round(9 / 11, 3)  # the model is wrong for x = -1 and x = 0
    healthy = accuracy == [expected, expected]
    print("OBSERVED", json.dumps({"healthy": healthy, "correct_by_rank": correct,
                                  "accuracy_by_rank": accuracy, "expected": expected}))
    sys.exit(0 if healthy else 1)
