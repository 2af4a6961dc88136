"""G1: GPU data made on one stream is overwritten while another stream still has to read it.

A block of GPU memory belongs to the stream it was allocated on. When the last reference goes, it
returns to that stream's free list at once, and the next allocation there may get it. Order inside
one stream makes that safe; work queued on another stream may not have read it yet.

Symptom: in this model, 11 of 12 batches are not what was sent, once Python runs ahead
Needs:   torch; cpu; about 1 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from collections import deque

num_batches = 12
launches_ahead_by_run = [0, 2, 4, 8]  # how far Python runs ahead of the GPU


class Stream:
    """A model of a CUDA stream: a queue of work, done in order, later."""

    def __init__(self):
        self.queue, self.queued, self.done = deque(), 0, 0

    def launch(self, work):
        self.queue.append(work)
        self.queued += 1

    def run(self, count):
        while self.queue and count:
            self.queue.popleft()()
            self.done, count = self.done + 1, count - 1


class Allocator:
    """A model of the rule of the caching allocator, for one stream and blocks of one size."""

    def __init__(self):
        self.free, self.waiting, self.made = [], [], 0

    def allocate(self):
        ready = [block for block in self.waiting if block["reader"].done >= block["after"]]
        self.waiting = [block for block in self.waiting if block not in ready]
        self.free += ready
        if self.free:
            return self.free.pop()
        self.made += 1
        return {"number": self.made, "content": None, "reader": None}

    def release(self, block):
        """The last reference is gone."""
        if block["reader"] is None:
            self.free.append(block)
        else:  # record_stream() was called: wait for what is queued on that stream now
            block["after"] = block["reader"].queued
            self.waiting.append(block)


def corrupted_batches(launches_ahead):
    side, main, allocator, seen = Stream(), Stream(), Allocator(), []
    for number in range(num_batches):
        block = allocator.allocate()
        side.launch(lambda: block.update(content=number))
        side.run(1)  # the copy, and side.synchronize()
        main.launch(lambda block=block: seen.append(block["content"]))  # batch.float() / 255
        block["reader"] = main  # FIX: batch.record_stream(torch.cuda.current_stream())
        allocator.release(block)  # del batch
        main.run(1 if number >= launches_ahead else 0)
    main.run(num_batches)
    return sum(content != number for number, content in enumerate(seen)), allocator.made


if __name__ == "__main__":
    corrupted, blocks = zip(*[corrupted_batches(ahead) for ahead in launches_ahead_by_run])

    healthy = sum(corrupted) == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": num_batches,
                                  "launches_ahead": launches_ahead_by_run,
                                  "corrupted": corrupted, "blocks": blocks}))
    sys.exit(0 if healthy else 1)
