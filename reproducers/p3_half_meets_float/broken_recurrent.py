"""P3: an LSTM in half precision gets a float32 batch.

The weights were cast, and the batch was not. Recurrent layers have a message for this.

Symptom: ValueError: RNN input dtype (torch.float32) does not match weight dtype (torch.bfloat16)
Needs:   torch; cpu; about 2 s
Run:     python broken_recurrent.py; python fix_recurrent.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it


if __name__ == "__main__":
    lstm = nn.LSTM(8, 4).to(half)
    batch = torch.randn(3, 2, 8)  # BUG: float32
    outputs, _ = lstm(batch)

    healthy = list(outputs.shape) == [3, 2, 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(outputs.dtype)}))
    sys.exit(0 if healthy else 1)
