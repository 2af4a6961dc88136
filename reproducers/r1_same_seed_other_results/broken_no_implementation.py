"""R1: use_deterministic_algorithms(True) raises in an operation that has no deterministic form.

Most of these operations are CUDA kernels. Tensor.put_() without accumulate is one that raises on
the CPU as well.

Symptom: RuntimeError: put_ does not have a deterministic implementation, but you set ...
Needs:   torch; cpu; about 2 s
Run:     python broken_no_implementation.py; python fix_other_operation.py
"""
import json
import sys

import torch

torch.use_deterministic_algorithms(True)


def scatter(values, places):
    canvas = torch.zeros(4)
    canvas.put_(places, values)  # BUG: if a place occurs twice, the order of the writes decides
    return canvas


if __name__ == "__main__":
    canvas = scatter(torch.tensor([5.0, 6.0]), torch.tensor([2, 0]))

    healthy = canvas.tolist() == [6, 0, 5, 0]
    print("OBSERVED", json.dumps({"healthy": healthy, "canvas": canvas.tolist()}))
    sys.exit(0 if healthy else 1)
