"""DP20: batches that are kept use up the file descriptors of the main process.

A tensor from a DataLoader worker lies in shared memory, and the main process holds it by an
open file descriptor, one for each tensor. Whatever keeps a tensor of the batch alive, a view
of it, a slice, or the array of .numpy(), keeps the descriptor open.

Symptom: tensors from a queue are kept, and the 250th or so is `received 0 items of ancdata`
Needs:   torch; cpu, linux, 256 open files; about 2 s
Run:     python broken_queue.py; python fixed.py
"""
import faulthandler
import json
import sys

import torch
import torch.multiprocessing as mp

num_tensors = 400
faulthandler.dump_traceback_later(60, exit=True)


def produce(queue, done):
    for i in range(num_tensors):
        queue.put(torch.full((3,), float(i)))
    done.wait(60)  # what is in the queue is handed out by this process


if __name__ == "__main__":
    ctx = mp.get_context("fork")
    queue, done = ctx.Queue(), ctx.Event()
    ctx.Process(target=produce, args=(queue, done), daemon=True).start()
    kept = []
    for _ in range(num_tensors):
        kept.append(queue.get())  # BUG: each one holds a descriptor
    done.set()

    healthy = len(kept) == num_tensors
    print("OBSERVED", json.dumps({"healthy": healthy, "received": len(kept)}))
    sys.exit(0 if healthy else 1)
