"""D36: every rank evaluates all samples, and all_reduce adds the counts up.

Without a share for each rank, the sum over 2 ranks counts each sample twice. Divided by the size
of the dataset, the accuracy is twice what it is.

Symptom: an accuracy of 1.636 for 9 of 11 correct samples
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_evaluation.py; python fix_evaluation.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

dataset = [(torch.tensor([i - 5.0]), i >= 4) for i in range(11)]


def evaluate(rank, folder, correct_by_rank, accuracies):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    model = torch.nn.Linear(1, 1)
    model.weight.data.fill_(1)
    model.bias.data.zero_()
    model.eval()
    loader = DataLoader(dataset, batch_size=2)  # BUG: all samples on every rank
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
