"""G1: the side stream waits for the main stream before it copies the next batch.

A simulation of CUDA's rules, without a GPU. The copy that overwrites the block is ordered after the
read, so one block is enough.

Symptom: none: 0 of 12 batches are wrong, with 1 block of memory
Needs:   torch; cpu; about 1 s
Run:     python fix_wait_stream.py
"""
import json
import sys
from collections import deque

import torch

num_batches = 12
launches_ahead_by_run = [0, 2, 4, 8]  # how far Python runs ahead of the GPU


class Stream:
    """A small model of a CUDA stream: work is queued now, and done later, in order."""

    def __init__(self):
        self.queue, self.queued, self.done = deque(), 0, 0

    def launch(self, work):
        self.queue.append(work)
        self.queued += 1

    def run(self, count):
        while self.queue and count:
            self.queue.popleft()()
            self.done, count = self.done + 1, count - 1

    def synchronize(self):
        self.run(len(self.queue))

    def wait_stream(self, other):
        other.synchronize()  # here the waiting is done at once


class Allocator:
    """The caching allocator's rule, for blocks of one size that one stream allocates."""

    def __init__(self):
        self.free, self.blocks = [], 0

    def allocate(self):
        if self.free:
            return self.free.pop()
        self.blocks += 1
        return torch.zeros(4)

    def release(self, block):
        """The last reference is gone: free at once, since no reading stream was recorded."""
        self.free.append(block)


def corrupted_batches(launches_ahead):
    side, main, memory, seen = Stream(), Stream(), Allocator(), []
    for number in range(num_batches):
        side.wait_stream(main)  # FIX: before each copy
        batch = memory.allocate()  # with torch.cuda.stream(side): batch = images.to("cuda")
        side.launch(lambda: batch.fill_(number))
        side.synchronize()  # the copy is done
        main.launch(lambda batch=batch: seen.append(batch[0].item()))  # image = batch.float()
        memory.release(batch)  # del batch
        main.run(1 if number >= launches_ahead else 0)
    main.synchronize()
    return sum(value != number for number, value in enumerate(seen)), memory.blocks


if __name__ == "__main__":
    corrupted, blocks = zip(*[corrupted_batches(ahead) for ahead in launches_ahead_by_run])

    healthy = sum(corrupted) == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": num_batches,
                                  "launches_ahead": launches_ahead_by_run,
                                  "corrupted": corrupted, "blocks": blocks}))
    sys.exit(0 if healthy else 1)
