"""C1: a checkpoint with numpy's random state loads with weights_only=False.

weights_only=False allows any pickle, which can run code. Use it for files that you made yourself.

Symptom: none: the file loads, and the next random number is the same
Needs:   torch, numpy; cpu; about 2 s
Run:     python trap_numpy_state.py; python fix_read_old_file.py
"""
import io
import json
import sys

import numpy as np
import torch

if __name__ == "__main__":
    np.random.seed(0)
    file = io.BytesIO()
    torch.save({"numpy": np.random.get_state()}, file)
    expected = np.random.rand()

    file.seek(0)
    state = torch.load(file, map_location="cpu", weights_only=False)  # FIX: a file that you trust
    np.random.set_state(state["numpy"])
    drawn = np.random.rand()

    healthy = drawn == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "next_draw": expected, "after_load": drawn}))
    sys.exit(0 if healthy else 1)
