"""X2: what torch.compile needs on this machine, and does not find.

On a CPU it needs a C++ compiler, on a GPU triton and a C compiler. The function is tried with empty
and with complete folders of programs.

Symptom: none: it names the missing parts, and nothing on a complete machine
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_what_is_missing.py
"""
import importlib.util
import json
import os
import shutil
import sys
import tempfile

import torch


def missing_for_compile(device):
    """What torch.compile needs for this kind of device and does not find."""
    missing = []
    if device == "cpu" and not (shutil.which("g++") or shutil.which("clang++")):
        missing.append("C++ compiler")  # FIX: named before the first step
    if device == "cuda" and not (shutil.which("gcc") or shutil.which("clang")):
        missing.append("C compiler")
    if device == "cuda" and importlib.util.find_spec("triton") is None:
        missing.append("triton")
    return missing


if __name__ == "__main__":
    kind = torch.ones(1).device.type
    sys.modules["triton"] = None  # as if it were not installed
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PATH"] = folder
        empty = [missing_for_compile(kind), missing_for_compile("cuda")]
        for program in ("g++", "gcc"):
            open(os.path.join(folder, program), "w").close()
            os.chmod(os.path.join(folder, program), 0o755)
        complete = [missing_for_compile(kind), missing_for_compile("cuda")]

    healthy = (empty == [["C++ compiler"], ["C compiler", "triton"]]
               and complete == [[], ["triton"]])
    print("OBSERVED", json.dumps({"healthy": healthy, "on_cpu": empty[0], "on_cuda": empty[1]}))
    sys.exit(0 if healthy else 1)
