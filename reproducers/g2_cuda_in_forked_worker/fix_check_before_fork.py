"""G2: how to find the call that makes later forks unable to use CUDA.

A forked child asks torch whether it may use CUDA, and prints the answer. flush=True matters:
os._exit() does not write buffered output.

Symptom: none: False at the start, True after torch.cuda.is_available()
Needs:   torch; cpu or cuda, linux; about 2 s
Run:     python fix_check_before_fork.py
"""
import json
import os
import sys

import torch


def print_fork_state(where):
    """True means: a process that is forked here may not use CUDA. For debugging only."""
    child = os.fork()
    if child == 0:
        refused = torch.cuda._is_in_bad_fork()
        print(where, refused, flush=True)  # FIX: without flush nothing appears in a pipe
        os._exit(refused)
    return os.waitpid(child, 0)[1] != 0


if __name__ == "__main__":
    if torch.version.cuda is None:
        print("SKIPPED this torch is built without CUDA")
        sys.exit(77)
    at_start = print_fork_state("at the start:")
    torch.cuda.is_available()
    after_asking = print_fork_state("after is_available():")

    healthy = not at_start and after_asking
    print("OBSERVED", json.dumps({"healthy": healthy, "refused_at_start": at_start,
                                  "refused_after_asking": after_asking}))
    sys.exit(0 if healthy else 1)
