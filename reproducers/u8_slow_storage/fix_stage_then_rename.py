"""U8: one process stages, the others wait, and all see the complete data.

A lock lets one process per machine copy. The copy has another name until it is complete, so no
process sees a part of it.

Symptom: none: both processes see all 8 files
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_exists_check.py; python fix_stage_then_rename.py
"""
import json
import os
import shutil
import sys
import tempfile
import time

import torch.multiprocessing as mp

try:
    import fcntl
except ImportError:
    print("SKIPPED no module fcntl on this system")
    sys.exit(77)

num_files, round_trip = 8, 0.1  # stands for copying one file from the share


def slow_copy(share, target):
    os.makedirs(target)
    for count, name in enumerate(sorted(os.listdir(share)), 1):
        time.sleep(round_trip)
        shutil.copy(os.path.join(share, name), target)
        if count == num_files // 2:
            half_done.set()


def stage(share, local, copy=shutil.copytree):
    """Copies a folder once per machine. Every process returns when the copy is complete."""
    with open(local + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # FIX: one process copies, the others wait
        if not os.path.exists(local):
            shutil.rmtree(local + ".partial", ignore_errors=True)  # left by a job that was killed
            copy(share, local + ".partial")
            os.rename(local + ".partial", local)  # FIX: the name appears when all files are there


def rank_main(rank, share, local, files_seen):
    if rank == 1:
        half_done.wait(30)  # it starts a little later
    stage(share, local, copy=slow_copy)
    files_seen[rank] = len(os.listdir(local))


if __name__ == "__main__":
    context = mp.get_context("fork")
    half_done, files_seen = context.Event(), context.Array("i", 2)
    with tempfile.TemporaryDirectory() as root:
        share, local = os.path.join(root, "share"), os.path.join(root, "local")
        os.makedirs(share)
        for index in range(num_files):
            open(os.path.join(share, "%d.bin" % index), "w").close()
        ranks = [context.Process(target=rank_main, args=(rank, share, local, files_seen))
                 for rank in range(2)]
        [process.start() for process in ranks]
        [process.join() for process in ranks]

    healthy = list(files_seen) == [num_files, num_files]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen_by_rank": list(files_seen)}))
    sys.exit(0 if healthy else 1)
