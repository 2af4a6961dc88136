"""C1: a resume that restores the weights only goes on as another training run.

The state of a training run is more than its weights: the optimizer's moments and step counts,
the place in the learning rate schedule, the step, the random number generators. What is not
restored starts anew, silently: Adam forgets its averages, and the learning rate is that of step
0 again.

Symptom: numpy's random state is saved as plain numbers and loads with any torch
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
    numpy_state = (kind, keys.tolist(), *rest)  # FIX: a list of ints in place of the array
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
