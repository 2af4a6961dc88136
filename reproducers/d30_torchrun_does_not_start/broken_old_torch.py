"""D30: torch 1.8 has no torch.distributed.run.

The module that torchrun starts is new in torch 1.9. Before, torch.distributed.launch was the
launcher.

Symptom: No module named torch.distributed.run
Needs:   torch; cpu; about 4 s
Run:     python broken_old_torch.py
"""
import contextlib
import io
import json
import runpy
import sys

import torch

arguments = ["--help"]

if __name__ == "__main__":
    launcher = "torch.distributed.run"  # BUG: torch 1.8 has only torch.distributed.launch
    sys.argv = [launcher, *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as help_text, contextlib.suppress(SystemExit):
        runpy.run_module(launcher, run_name="__main__")

    healthy = "usage:" in help_text.getvalue()
    print("OBSERVED", json.dumps({"healthy": healthy, "torch": torch.__version__}))
    sys.exit(0 if healthy else 1)
