"""C1: a checkpoint that contains a numpy array does not load by default from torch 2.6 on.

numpy.random.get_state() contains an array. torch.load() accepts only tensors and plain types unless
you pass weights_only=False.

Symptom: UnpicklingError: Weights only load failed
Needs:   torch, numpy; cpu; about 2 s
Run:     python trap_numpy_state.py
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
    state = {"python": random.getstate(), "numpy": np.random.get_state()}
    torch.save(state, file)  # BUG: contains a numpy array
    expected = [random.random(), np.random.rand()]

    file.seek(0)
    state = torch.load(file)
    random.setstate(state["python"])
    np.random.set_state(state["numpy"])
    drawn = [random.random(), np.random.rand()]

    healthy = drawn == expected
    print("OBSERVED", json.dumps({"healthy": healthy, "next_draws": expected, "after_load": drawn}))
    sys.exit(0 if healthy else 1)
