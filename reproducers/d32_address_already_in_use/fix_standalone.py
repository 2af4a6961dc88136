"""D32: torchrun --standalone takes a free port for each job.

Two jobs run at the same time on one machine. With --standalone each torchrun looks for a free
port and hands it to its ranks as MASTER_PORT.

Symptom: none: two jobs, two ports
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_standalone.py
"""
import json
import multiprocessing
import os
import sys
import tempfile

import torch

if torch.__version__.startswith(("1.", "2.0.")):
    print("SKIPPED up to torch 2.0 --standalone takes port 29400 for every job")
    sys.exit(77)
from torch.distributed.run import main  # the same as torchrun

train = """
import os, sys
open(sys.argv[1] + "/port " + os.environ["MASTER_PORT"], "w")
"""


def torchrun(folder):
    main(["--standalone",  # FIX: a free port instead of the default
          "--nproc_per_node=1", folder + "/train.py", folder])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/train.py", "w") as script:
            script.write(train)
        jobs = [multiprocessing.get_context("fork").Process(target=torchrun, args=(folder,))
                for _ in range(2)]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        ports = [name for name in os.listdir(folder) if name.startswith("port")]

    healthy = len(ports) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "ports": len(ports)}))
    sys.exit(0 if healthy else 1)
