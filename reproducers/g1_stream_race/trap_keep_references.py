"""G1: keeping references to the last batches only moves the bug.

A simulation of CUDA's rules, without a GPU. References bound how many batches Python holds, not how
many the GPU has read.

Symptom: with 4 kept references all is right up to 4 launches ahead; at 8, 7 of 12 are wrong
Needs:   torch; cpu; about 1 s
Run:     python trap_keep_references.py
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


class Allocator:
    """The caching allocator's rule, for blocks of one size that one stream allocates."""

    def __init__(self):
        self.free, self.waiting, self.readers, self.blocks = [], [], {}, 0

    def allocate(self):
        self.free += [block for reader, after, block in self.waiting if reader.done >= after]
        self.waiting = [entry for entry in self.waiting if entry[0].done < entry[1]]
        if self.free:
            return self.free.pop()
        self.blocks += 1
        return torch.zeros(4)

    def record_stream(self, block, stream):
        self.readers[block.data_ptr()] = stream

    def release(self, block):
        """The last reference is gone: free at once, unless a reading stream was recorded."""
        reader = self.readers.pop(block.data_ptr(), None)
        if reader is None:
            self.free.append(block)
        else:
            self.waiting.append((reader, reader.queued, block))


def corrupted_batches(launches_ahead):
    side, main, memory, seen, kept = Stream(), Stream(), Allocator(), [], deque()
    for number in range(num_batches):
        batch = memory.allocate()  # with torch.cuda.stream(side): batch = images.to("cuda")
        side.launch(lambda: batch.fill_(number))
        side.synchronize()  # the copy is done
        main.launch(lambda batch=batch: seen.append(batch[0].item()))  # image = batch.float()
        kept.append(batch)  # BUG: this counts batches, not what the GPU has read
        if len(kept) > 4:
            memory.release(kept.popleft())
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
