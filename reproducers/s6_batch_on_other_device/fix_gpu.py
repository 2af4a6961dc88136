"""S6: model and batch are both on the GPU.

The model moves once, before the optimizer is created, and each batch moves in the loop.

Symptom: none: the convolution and the LSTM give a result on the GPU
Needs:   torch; cuda; about 10 s
Run:     python broken_convolution_gpu.py; python broken_lstm_gpu.py; python fix_gpu.py
"""
import json
import sys

import torch
from torch import nn


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED this needs a GPU")
        sys.exit(77)
    convolution = nn.Conv2d(3, 8, 3).cuda()  # FIX
    lstm = nn.LSTM(8, 16, batch_first=True).cuda()  # FIX
    images = torch.ones(4, 3, 16, 16).cuda()  # FIX
    sequences = torch.ones(4, 10, 8).cuda()  # FIX
    features = convolution(images)
    states, _ = lstm(sequences)

    healthy = {features.device.type, states.device.type} == {"cuda"}
    print("OBSERVED", json.dumps({"healthy": healthy, "device": features.device.type}))
    sys.exit(0 if healthy else 1)
