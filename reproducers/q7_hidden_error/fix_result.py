"""Q7: result() raises the error of a job of a thread pool.

The program keeps the futures and asks each of them for its result. The first failed save then ends
the training with its own error.

Symptom: none: the error of the first save is raised
Needs:   torch; cpu; about 2 s
Run:     python fix_result.py
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
            save = pool.submit(torch.save, model.state_dict(), path)  # FIX: keep the future
            save.result()  # FIX: raises what the job raised; a loop asks before the next save


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
