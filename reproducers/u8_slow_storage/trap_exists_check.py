"""U8: an exists() check lets a process start on a half-copied folder.

The folder exists as soon as the copy begins. A process that only tests for it starts with the files
that are there.

Symptom: the second process sees 4 of 8 files, without an error
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

num_files, round_trip = 8, 0.1  # stands for copying one file from the share


def copy(share, target, half_done):
    os.makedirs(target)
    for count, name in enumerate(sorted(os.listdir(share)), 1):
        time.sleep(round_trip)
        shutil.copy(os.path.join(share, name), target)
        if count == num_files // 2:
            half_done.set()


def stage(share, local, half_done):
    if not os.path.exists(local):  # BUG: exists from the first file on
        copy(share, local, half_done)


def rank_main(rank, share, local, half_done, files_seen):
    if rank == 1:
        half_done.wait(30)  # it starts a little later
    stage(share, local, half_done)
    files_seen[rank] = len(os.listdir(local))


if __name__ == "__main__":
    context = mp.get_context("fork")
    half_done, files_seen = context.Event(), context.Array("i", 2)
    with tempfile.TemporaryDirectory() as root:
        share, local = os.path.join(root, "share"), os.path.join(root, "local")
        os.makedirs(share)
        for index in range(num_files):
            open(os.path.join(share, "%d.bin" % index), "w").close()
        ranks = [context.Process(target=rank_main, args=(rank, share, local, half_done, files_seen))
                 for rank in range(2)]
        [process.start() for process in ranks]
        [process.join() for process in ranks]

    healthy = list(files_seen) == [num_files, num_files]
    print("OBSERVED", json.dumps({"healthy": healthy, "files_seen_by_rank": list(files_seen)}))
    sys.exit(0 if healthy else 1)
