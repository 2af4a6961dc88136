"""E1: // rounds negative numbers differently on a newer torch, and nothing is raised.

Up to torch 1.12 `//` cut off the fraction. Since 1.13 it rounds down, as in Python. Old code that
runs without an error can still compute something else.

Symptom: -7 // 2 was -3 and is -4
Needs:   torch; cpu; about 2 s
Run:     python trap_floor_division.py
"""
import json
import sys

import torch

offsets = [-7, -3, 3, 7]
stride = 2
cells_in_2020 = [-3, -1, 1, 3]  # what torch 1.8 gives


if __name__ == "__main__":
    cells = (torch.tensor(offsets) // stride).tolist()  # BUG: write div(..., rounding_mode="trunc")
    exact = torch.div(torch.tensor(offsets), stride, rounding_mode="trunc").tolist()
    assert exact == cells_in_2020, exact

    healthy = cells == cells_in_2020
    print("OBSERVED", json.dumps({"healthy": healthy, "cells": cells, "with_trunc": exact}))
    sys.exit(0 if healthy else 1)
