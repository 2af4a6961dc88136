"""D36: each rank evaluates every second sample, and all_reduce adds the counts up.

range(rank, len(dataset), world_size) deals out each sample once, without padding. The shares may
differ in length: evaluation calls no backward(), so no rank waits for another one inside the loop.

Symptom: none: 9 of 11 correct samples, on both ranks
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_evaluation.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Subset

dataset = [(torch.tensor([i - 5.0]), i >= 4) for i in range(11)]


def evaluate(rank, folder, correct_by_rank, accuracies):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = torch.nn.Linear(1, 1)
    model.weight.data.fill_(1)
    model.bias.data.zero_()
    model.eval()
    share = range(rank, len(dataset), dist.get_world_size())  # FIX: this rank's samples, once
    loader = DataLoader(Subset(dataset, share), batch_size=2)  # FIX: not the whole dataset
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
