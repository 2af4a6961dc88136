"""G2: torch.cuda.is_initialized() does not tell whether a fork is safe.

After torch.cuda.is_available() it is still False, and a process that is forked then is refused.

Symptom: is_initialized() is False, and a forked process is refused nevertheless
Needs:   torch; cpu or cuda, linux; about 2 s
Run:     python trap_is_initialized.py
"""
import json
import os
import sys

import torch


def refused_after_fork():
    """Whether a process forked now may not use CUDA. Asks a private function: for debugging."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, b"1" if torch.cuda._is_in_bad_fork() else b"0")
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(reader, 1) == b"1"


if __name__ == "__main__":
    if torch.version.cuda is None:
        print("SKIPPED this torch is built without CUDA")
        sys.exit(77)
    torch.manual_seed(0)
    refused_before = refused_after_fork()
    torch.cuda.is_available()
    initialized = torch.cuda.is_initialized()  # BUG: False, so a fork looks safe
    refused = refused_after_fork()

    healthy = refused == initialized
    print("OBSERVED", json.dumps({"healthy": healthy, "refused_after_seeding": refused_before,
                                  "initialized_after_asking": initialized,
                                  "refused_after_asking": refused}))
    sys.exit(0 if healthy else 1)
