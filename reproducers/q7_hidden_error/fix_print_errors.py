"""Q7: a trace function prints each exception of your own code, also one that is caught.

It is called for every function that runs in a file below the given folder, in all threads. Here a
loop skips a batch, a thread pool keeps an error, and a property of a module fails.

Symptom: none: all three hidden errors are printed with their lines
Needs:   torch; cpu; about 2 s
Run:     python fix_print_errors.py
"""
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

printed = []


def print_errors(folder):  # FIX: call it before the training
    """Print each exception that is raised in, or passes through, code below this folder."""
    def trace(frame, event, value):
        file = os.path.abspath(frame.f_code.co_filename)
        if not file.startswith(folder) or "site-packages" in file:
            return None
        if event == "exception" and not issubclass(value[0], (StopIteration, GeneratorExit)):
            line = f"line {frame.f_lineno}: {value[0].__name__}: {value[1]}"
            print(os.path.relpath(file, folder), line)
            printed.append(line)
        return trace

    threading.settrace(trace)
    sys.settrace(trace)


class Classifier(nn.Module):
    @property
    def width(self):
        return self.backbone.out_channels


def count_skipped():
    skipped = 0
    for batch in [torch.randn(4, 8), torch.randn(4, 3)]:
        try:
            nn.Linear(8, 1)(batch)
        except RuntimeError:
            skipped += 1
    return skipped


def write_table():
    open("no_such_folder/table.csv", "w")


def main():
    print("batches skipped:", count_skipped())
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(write_table)
    model = Classifier()
    model.backbone = nn.Linear(8, 4)
    print("head:", getattr(model, "width", "unknown"))


if __name__ == "__main__":
    print_errors(os.path.dirname(os.path.abspath(__file__)))
    main()
    sys.settrace(None)

    wanted = ["mat1 and mat2 shapes", "FileNotFoundError", "'Linear' object has no attribute"]
    found = [text for text in wanted if any(text in line for line in printed)]
    healthy = found == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
