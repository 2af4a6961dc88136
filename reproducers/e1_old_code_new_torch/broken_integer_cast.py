"""E1: an operation in place would turn integers into floats.

Older versions of YOLOv5 and YOLOv7 clamp integer positions in place by a float tensor.

Symptom: RuntimeError: result type Float can't be cast to the desired output type long int
Needs:   torch; cpu; about 2 s
Run:     python broken_integer_cast.py; python fix_older_code.py
"""
import json
import sys

import torch

if __name__ == "__main__":
    gain = torch.tensor([8.0, 8.0])  # width and height of the map
    cells = torch.tensor([3, 9])
    cells.clamp_(0, gain[0] - 1)  # BUG: the limit is a float

    healthy = cells.tolist() == [3, 7]
    print("OBSERVED", json.dumps({"healthy": healthy, "cells": cells.tolist()}))
    sys.exit(0 if healthy else 1)
