"""C30: with one file per checkpoint, the resume takes the newest complete one.

Each checkpoint has its own name, and the last two are kept. A file that is cut is not a valid zip
archive, so zipfile tells it from a complete one.

Symptom: none: step 20 is cut, training goes on from step 10
Needs:   torch; cpu; about 2 s
Run:     python fix_load_the_newest.py
"""
import glob
import json
import os
import sys
import tempfile
import zipfile

import torch


def newest_complete(folder):
    paths = sorted(glob.glob(os.path.join(folder, "step_*.pt")))
    return [path for path in paths if zipfile.is_zipfile(path)][-1]  # FIX: passes over cut files


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for step in (10, 20):
            torch.save({"step": step}, os.path.join(folder, "step_%06d.pt" % step))
        newest = os.path.join(folder, "step_000020.pt")
        os.truncate(newest, os.path.getsize(newest) // 2)  # the job died while it wrote this one

        resumed_step = torch.load(newest_complete(folder))["step"]

    healthy = resumed_step == 10
    print("OBSERVED", json.dumps({"healthy": healthy, "resumed_step": resumed_step}))
    sys.exit(0 if healthy else 1)
