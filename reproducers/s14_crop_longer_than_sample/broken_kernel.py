"""S14: a convolution over 5 tokens gets a sentence of 3.

Padding to the longest sentence of a batch is not enough if the longest one is short.

Symptom: RuntimeError: Kernel size can't be greater than actual input size
Needs:   torch; cpu; about 3 s
Run:     python broken_kernel.py
"""
import json
import sys

import torch
from torch import nn

lengths = [7, 3]  # tokens of two sentences, each a batch


class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 8)
        self.filters = nn.ModuleList([nn.Conv1d(8, 4, width) for width in (2, 3, 5)])

    def forward(self, ids):
        x = self.words(ids).transpose(1, 2)
        return torch.cat([layer(x).amax(2) for layer in self.filters], 1)  # BUG: needs 5 tokens


if __name__ == "__main__":
    torch.manual_seed(0)
    model = TextCNN()
    shapes = [list(model(torch.randint(1, 100, (1, length))).shape) for length in lengths]

    healthy = shapes == [[1, 12], [1, 12]]
    print("OBSERVED", json.dumps({"healthy": healthy, "sentences": len(shapes)}))
    sys.exit(0 if healthy else 1)
