"""Q3: readings after each step tell five causes apart, and pass a healthy job.

If memory runs out after hours, it has grown in one of four ways: a little in each step, in each
validation, in a single jump, or for one large batch. Readings after each step tell which it was.

Symptom: none: each cause is named
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_name_the_growth.py
"""
import ctypes
import json
import multiprocessing
import sys

import torch
from torch import nn

if not sys.platform.startswith("linux"):
    print("SKIPPED memory is read from /proc, as on Linux")
    sys.exit(77)

def memory_mib(pid="self"):
    with open("/proc/%s/status" % pid) as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["RssAnon"].split()[0]) / 1024


def why_it_grows(rows, mib):  # FIX: after each step, with what the step did
    """rows: (phase, batch elements, MiB after the step, MiB after forward, MiB of the workers)."""
    phases, sizes, used, peaks, workers = zip(*rows)
    growth = [after - before for before, after in zip(used, used[1:])]
    total = used[-1] - used[0]
    if workers[-1] - workers[0] > mib:
        return "the workers grow"
    if total > mib and max(growth) > 0.8 * total:
        size = sizes[growth.index(max(growth)) + 1]  # a large batch can leave work buffers behind
        return "one large batch" if size > sorted(sizes)[-2] else "one jump that stays"
    if total > mib:
        valid = sum(g for g, phase in zip(growth, phases[1:]) if phase == "valid")
        return "validation keeps something" if valid > 0.8 * total else "training keeps something"
    largest = peaks.index(max(peaks))
    if peaks[largest] - sorted(peaks)[len(peaks) // 2] > mib and sizes[largest] == max(sizes):
        return "one large batch"
    return "steady"


class Inputs(torch.utils.data.IterableDataset):
    def __init__(self, sizes, cache):
        self.sizes, self.cache, self.items = sizes, cache, []

    def __iter__(self):
        for size in self.sizes:
            item = torch.randn(size, 2048)
            self.items += [item.clone()] * self.cache  # none, or one more
            yield item


def readings(cause):
    sizes = [128] * 10 + [1024 if cause == "one large batch" else 128] + [128] * 3
    net = nn.Sequential(nn.Linear(2048, 1024), *[nn.Tanh() for _ in range(8)])  # 8 MiB
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    data, kept, rows = Inputs(sizes, cache=cause == "the workers grow"), [], []
    inputs = torch.utils.data.DataLoader(data, batch_size=None, num_workers=1)
    for step, batch in enumerate(inputs):
        loss = net(batch).pow(2).mean()
        peak, phase = memory_mib(), "valid" if step % 4 == 3 else "train"
        if phase == "train":
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if cause.startswith(phase):
            kept.append(batch.clone() if phase == "train" else loss)
        if cause == "one jump that stays" and step == 9:
            kept.append([p.detach().clone() for p in net.parameters()])
        del loss  # with the graph of a validation step
        workers = sum(memory_mib(worker.pid) for worker in multiprocessing.active_children())
        rows.append((phase, batch.numel(), memory_mib(), peak, workers))
    return rows[2:]


if __name__ == "__main__":
    torch.set_num_threads(1)
    ctypes.CDLL(None).mallopt(-3, 2**16)  # return freed blocks at once
    causes = ["training keeps something", "validation keeps something", "one jump that stays",
              "one large batch", "the workers grow", "steady"]
    found = [why_it_grows(readings(cause), mib=4) for cause in causes]

    healthy = found == causes
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
