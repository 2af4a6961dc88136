# One of two spawned processes raises or exits: the exception that mp.spawn raises, its rank, code and traceback text.
# needs: torch>=1.9
import re
import sys
import time

import torch
import torch.multiprocessing as mp


def run(rank, how):
    if rank == 0:
        return
    time.sleep(2)  # rank 0 has ended by then; otherwise torch terminates it, and says so
    if how == "raise":
        raise ValueError("rank one fails")
    if how == "exit":
        sys.exit(5)
    torch._C._broadcast_coalesced  # an attribute that needs no work
    import os

    os.kill(os.getpid(), 9)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for how in ("raise", "exit", "kill"):
        try:
            mp.start_processes(run, (how,), nprocs=2, start_method="fork")
        except Exception as e:
            text = re.sub(r'File ".*?([^/"]+)", line \d+', r"File \1", str(e))
            print(type(e).__name__, getattr(e, "error_index", None), getattr(e, "exit_code", None), getattr(e, "signal_name", None))
            print(text)
    ctx = mp.start_processes(run, ("raise",), nprocs=1, start_method="fork", join=False)
    print(ctx.join(5), [p.exitcode for p in ctx.processes])
