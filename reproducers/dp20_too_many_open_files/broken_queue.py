"""DP20: tensors kept from a torch.multiprocessing queue use up the limit of open files.

Without a DataLoader the same fault has an older message: the socket that should bring the next
descriptor brings none.

Symptom: RuntimeError: received 0 items of ancdata, after about 250 tensors
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
    done.wait(60)  # this process serves what is in the queue


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
