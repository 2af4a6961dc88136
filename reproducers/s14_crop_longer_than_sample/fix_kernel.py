"""S14: sentences are padded to the widest filter.

The padding is added only to sentences with fewer than 5 tokens.

Symptom: none: both sentences give 12 features
Needs:   torch; cpu; about 3 s
Run:     python fix_kernel.py
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
        missing = max(layer.kernel_size[0] for layer in self.filters) - ids.size(1)
        x = self.words(nn.functional.pad(ids, (0, max(0, missing)))).transpose(1, 2)  # FIX
        return torch.cat([layer(x).amax(2) for layer in self.filters], 1)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = TextCNN()
    shapes = [list(model(torch.randint(1, 100, (1, length))).shape) for length in lengths]

    healthy = shapes == [[1, 12], [1, 12]]
    print("OBSERVED", json.dumps({"healthy": healthy, "sentences": len(shapes)}))
    sys.exit(0 if healthy else 1)
