"""L2: -100 as padding of the input raises in the embedding.

-100 is a value for labels only. As an input it is not a row of the embedding.

Symptom: IndexError: index out of range in self
Needs:   torch; cpu; about 2 s
Run:     python trap_minus_100_in_input.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

texts = [torch.tensor([5, 6, 7, 1]), torch.tensor([5, 1])]
model = nn.Embedding(10, 10)

if __name__ == "__main__":
    ids = pad_sequence(texts, batch_first=True, padding_value=-100)  # BUG: -100 is not a token id
    logits = model(ids)

    healthy = bool(torch.isfinite(logits).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(logits.shape)}))
    sys.exit(0 if healthy else 1)
