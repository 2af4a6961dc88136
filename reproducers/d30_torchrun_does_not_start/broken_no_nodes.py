"""D30: torchrun gets 0 nodes, because the variable of the scheduler is not set.

A script for Slurm computes --nnodes from SLURM_NNODES. Outside of a job it is empty, or 0.

Symptom: AssertionError: min_nodes must be > 0 and <= max_nodes, got min_nodes=0, max_nodes=0
Needs:   torch; cpu; about 5 s
Run:     python broken_no_nodes.py
"""
import json
import sys
import tempfile

import torch

try:
    from torch.distributed.run import main
except ImportError:
    print(f"SKIPPED torch {torch.__version__} has no torch.distributed.run")
    sys.exit(77)

nodes = 0  # as in a script that was started with bash, not with sbatch

if __name__ == "__main__":
    with tempfile.NamedTemporaryFile("w+", suffix=".py") as script:
        script.write("open(__file__, 'w').write('trained')")
        script.flush()
        main([f"--nnodes={nodes}", "--nproc_per_node=1", script.name])  # BUG: 0 nodes
        script.seek(0)
        written = script.read()

    healthy = written == "trained"
    print("OBSERVED", json.dumps({"healthy": healthy, "written": written}))
    sys.exit(0 if healthy else 1)
