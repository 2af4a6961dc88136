"""N6: an untied checkpoint in a tied model loses one of its two weights.

A model that was trained untied has two different weights. Loaded into a tied model, both are copied
into the same Parameter, and the last one stays.

Symptom: the embedding is overwritten by the output weight; nothing is raised
Needs:   torch; cpu; about 2 s
Run:     python broken_two_values.py
"""
import json
import sys

import torch
from torch import nn

trained = [1.0, 2.0]


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, dim, tie):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.lm_head = nn.Linear(dim, vocabulary, bias=False)
        if tie:
            self.lm_head.weight = self.embed.weight


if __name__ == "__main__":
    checkpoint = LanguageModel(10, 4, tie=False).state_dict()  # trained untied, so two values
    checkpoint["embed.weight"].fill_(trained[0])
    checkpoint["lm_head.weight"].fill_(trained[1])
    model = LanguageModel(10, 4, tie=True)  # BUG: one weight for two values
    report = model.load_state_dict(checkpoint, strict=True)

    kept = [model.embed.weight[0, 0].item(), model.lm_head.weight[0, 0].item()]
    healthy = kept == trained
    print("OBSERVED", json.dumps({"healthy": healthy, "in_checkpoint": trained,
                                  "in_model": kept, "missing_keys": report.missing_keys}))
    sys.exit(0 if healthy else 1)
