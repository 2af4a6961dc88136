"""N2: a Python list of registered buffers keeps the tensors from before the move.

to() replaces each registered buffer with a new tensor. A Python list still refers to the tensors
from before the move.

Symptom: the buffers are float64, the same buffers in a Python list are still float32
Needs:   torch; cpu; about 2 s
Run:     python trap_list_of_buffers.py
"""
import json
import sys

import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.grids = []
        for number, size in enumerate(sizes):
            self.register_buffer("grid%d" % number, torch.linspace(0, 1, size))
            self.grids.append(getattr(self, "grid%d" % number))  # BUG: keeps the old tensor


if __name__ == "__main__":
    model = Pyramid([4, 8]).to(torch.float64)

    buffers = [str(buffer.dtype) for buffer in model.buffers()]
    listed = [str(grid.dtype) for grid in model.grids]
    healthy = listed == buffers == ["torch.float64"] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "buffers": buffers, "in_the_list": listed}))
    sys.exit(0 if healthy else 1)
