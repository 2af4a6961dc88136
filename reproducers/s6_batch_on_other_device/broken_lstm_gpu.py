"""S6: the sequences stay on the CPU, and the LSTM is on the GPU.

Recurrent layers compare the devices of their input and their weights themselves, and name both.

Symptom: Input and parameter tensors are not at the same device
Needs:   torch; cuda; about 10 s
Run:     python broken_lstm_gpu.py; python fix_gpu.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    model = nn.LSTM(8, 16, batch_first=True).cuda()
    sequences = torch.ones(4, 10, 8)  # BUG: write sequences.cuda()
    result, _ = model(sequences)

    healthy = result.device.type == "cuda" and list(result.shape) == [4, 10, 16]
    print("OBSERVED", json.dumps({"healthy": healthy, "device": result.device.type}))
    sys.exit(0 if healthy else 1)
