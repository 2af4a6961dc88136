"""Q7: checkpoints that a thread pool writes are missing, and nothing says why.

A thread pool keeps the error of each job in its future. The program never asks a future for its
result, so an error such as a missing folder is never shown.

Symptom: none: training ends normally, and no checkpoint exists
Needs:   torch; cpu; about 2 s
Run:     python broken_future.py; python fix_result.py
"""
import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import torch


def train(model, folder):
    with ThreadPoolExecutor(max_workers=1) as pool:
        for epoch in range(3):
            path = os.path.join(folder, f"epoch{epoch}.pt")
            pool.submit(torch.save, model.state_dict(), path)  # BUG: nobody asks how it ended


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        checkpoints = os.path.join(folder, "checkpoints")  # nothing creates this folder
        try:
            train(torch.nn.Linear(2, 2), checkpoints)
            shown = "no error"
        except (OSError, RuntimeError) as error:
            shown = type(error).__name__
        saved = os.path.exists(checkpoints)

    healthy = shown in ("FileNotFoundError", "RuntimeError") and not saved
    print("OBSERVED", json.dumps({"healthy": healthy, "shown": shown, "saved": saved}))
    sys.exit(0 if healthy else 1)
