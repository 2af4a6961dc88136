"""C1: numpy's random state, saved as plain numbers, loads with any torch.

From torch 2.6 on, torch.load() accepts tensors and plain types by default, so also
a list of ints.

Symptom: none: the next random numbers after loading are the same
Needs:   torch, numpy; cpu; about 2 s
Run:     python fix_numpy_state.py
"""
import io
import json
import random
import sys

import numpy as np
import torch

if __name__ == "__main__":
    random.seed(0)
    np.random.seed(0)
    file = io.BytesIO()
    kind, keys, *rest = np.random.get_state()
    numpy_state = (kind, keys.tolist(), *rest)  # FIX: ints, not an array
    torch.save({"python": random.getstate(), "numpy": numpy_state}, file)
    expected = [random.random(), np.random.rand()]

    file.seek(0)
    state = torch.load(file)
    random.setstate(state["python"])
    np.random.set_state(state["numpy"])
    drawn = [random.random(), np.random.rand()]

    healthy = drawn == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "next_draws": expected, "after_load": drawn}))
    sys.exit(0 if healthy else 1)
