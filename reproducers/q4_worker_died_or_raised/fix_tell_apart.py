"""Q4: the message and the exit code of the worker say how it failed.

Seven loaders: a healthy one, and six whose worker raises, is killed, crashes, reads a truncated
mapped file, exits, or hangs. The message or the exit code of a single worker distinguishes them.

Symptom: seven loaders, seven answers
Needs:   torch; cpu, linux; about 8 s
Run:     python fix_tell_apart.py
"""
import ctypes
import gc
import json
import mmap
import os
import signal
import sys
import tempfile
import time
from multiprocessing.queues import Queue

from torch.utils.data import DataLoader, Dataset

# Python 3.8 prints a traceback if a task is on its way to a worker that has died.
Queue._on_queue_feeder_error = staticmethod(lambda error, task: None)


def how_it_failed(loader):  # FIX: ask the worker that failed, not the line of the main process
    """loader has num_workers=1 and a timeout -> how its worker fails, if it does."""
    batches = iter(loader)
    try:
        for batch in batches:
            pass
    except Exception as error:
        if "DataLoader worker process" in str(error):
            return "a sample raised " + type(error).__name__
        if "timed out" in str(error):
            return "the worker hangs"
        worker = batches._workers[0]
        worker.join()
        if worker.exitcode < 0:
            return "ended by " + signal.Signals(-worker.exitcode).name
        return f"exited with {worker.exitcode}"
    return "no failure"


class Samples(Dataset):
    def __init__(self, fault):
        self.fault = fault

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 2:
            self.fault()
        return index


def bad_file():
    raise ValueError("cannot identify image file")


def truncated():
    with tempfile.TemporaryFile() as file:
        file.truncate(4096)
        mapped = mmap.mmap(file.fileno(), 4096)
        file.truncate(0)
        print(mapped[0])


faults = {"sound": lambda: None, "bad file": bad_file, "truncated mapped file": truncated,
          "out of memory": lambda: os.kill(os.getpid(), signal.SIGKILL),  # as the kernel does
          "crash in C": lambda: ctypes.string_at(0), "os._exit": lambda: os._exit(3),
          "hangs": lambda: time.sleep(6)}


if __name__ == "__main__":
    found = {}
    for name, fault in faults.items():
        timeout = 3 if name == "hangs" else 60
        found[name] = how_it_failed(DataLoader(Samples(fault), num_workers=1, timeout=timeout,
                                               collate_fn=list, multiprocessing_context="fork"))
        gc.collect()  # or the next worker, a fork, cleans up the old iterator

    healthy = list(found.values()) == [
        "no failure", "a sample raised ValueError", "ended by SIGBUS", "ended by SIGKILL",
        "ended by SIGSEGV", "exited with 3", "the worker hangs"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
