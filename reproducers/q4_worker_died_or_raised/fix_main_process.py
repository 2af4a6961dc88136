"""Q4: the training process itself crashes: PYTHONFAULTHANDLER=1 names the function.

Python prints nothing when C code crashes; the shell may add `Segmentation fault (core dumped)`.
With the variable, Python writes the stack of each thread before it ends.

Symptom: none: without the variable stderr is empty, with it the function that crashed is named
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_main_process.py
"""
import json
import os
import signal
import subprocess
import sys

PROGRAM = """
import ctypes
import torch

def resize(image):
    return ctypes.string_at(0)  # a C library crashes

def train():
    for step in range(3):
        image = torch.ones(4, 4)
        if step == 2:
            resize(image)

train()
"""


def crash(**variables):
    """The exit code and stderr of the program with these variables in its environment."""
    environment = dict(os.environ, **variables)
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment,
                          stderr=subprocess.PIPE, universal_newlines=True)
    return done.returncode, done.stderr


if __name__ == "__main__":
    silent_code, silent = crash(PYTHONFAULTHANDLER="")
    code, stack = crash(PYTHONFAULTHANDLER="1")  # FIX: before you start the program

    crashed = silent_code == code == -signal.SIGSEGV
    named = "Current thread" in stack and "in resize" in stack and "in train" in stack
    healthy = crashed and named and silent == ""
    print("OBSERVED", json.dumps({"healthy": healthy, "ended_by_signal": -code,
                                  "silent": silent == ""}))
    sys.exit(0 if healthy else 1)
