"""D37: from five facts about a process, a function says why only one GPU works.

The facts are LOCAL_RANK, WORLD_SIZE, the number of visible GPUs, the GPU of the model, and whether
there is a process group. torchrun sets the first two, here in two launches; the others are given.

Symptom: none: six situations, six answers
Needs:   torch; cpu, linux; about 10 s
Run:     python fix_tell_apart.py
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path


def why_one_gpu(variables, gpus, device_index, initialized):  # FIX: ask each process
    """variables: os.environ; gpus: device_count(); device_index: that of the model."""
    if gpus < 2:
        return "one GPU is visible: look at CUDA_VISIBLE_DEVICES and the job's request"
    if "LOCAL_RANK" not in variables:
        return "started without a launcher"
    if int(variables["WORLD_SIZE"]) == 1:
        return "the launcher was told to start one process"
    if not initialized:
        return "each process trains alone"
    if device_index != int(variables["LOCAL_RANK"]):
        return "several processes are on one GPU"
    return "one GPU for each process"


def record_answers(folder):
    """Called in each process that torchrun starts: the model is on GPU 0 of 2."""
    answers = [why_one_gpu(os.environ, 2, 0, initialized) for initialized in (False, True)]
    Path(folder, f"process{os.getpid()}").write_text(json.dumps(answers))


start = "import runpy, sys; runpy.run_path(sys.argv[1])['record_answers'](sys.argv[2])"
command = [sys.executable, "-c", start, __file__]


if __name__ == "__main__":
    try:
        import torch.distributed.run  # noqa: F401
    except ImportError:
        print("SKIPPED torch.distributed.run is not installed")
        sys.exit(77)
    answers = [why_one_gpu({}, 1, 0, False), why_one_gpu({}, 2, 0, False)]  # without torchrun
    for options in ([], ["--nproc_per_node=2"]):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "torch.distributed.run", *options,
                            f"--master_port={port}", "--no_python", *command, folder], check=True)
            for file in Path(folder).iterdir():
                answers += json.loads(file.read_text())

    answers = sorted(set(answers))
    healthy = answers == [
        "each process trains alone", "one GPU for each process",
        "one GPU is visible: look at CUDA_VISIBLE_DEVICES and the job's request",
        "several processes are on one GPU", "started without a launcher",
        "the launcher was told to start one process"]
    print("OBSERVED", json.dumps({"healthy": healthy, "answers": answers}))
    sys.exit(0 if healthy else 1)
