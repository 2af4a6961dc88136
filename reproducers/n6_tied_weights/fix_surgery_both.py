"""N6: a tied weight that was enlarged under both of its names loads.

state_dict() lists a tied weight under both of its names, so both entries of the checkpoint have to
be enlarged.

Symptom: none: the checkpoint loads and the weights are tied
Needs:   torch; cpu; about 2 s
Run:     python broken_surgery.py; python fix_surgery_both.py
"""
import json
import sys

import torch
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, dim):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.lm_head = nn.Linear(dim, vocabulary, bias=False)
        self.lm_head.weight = self.embed.weight


def grown(old, like):
    new = like.clone()
    new[:len(old)] = old
    return new


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint, model = LanguageModel(10, 4).state_dict(), LanguageModel(12, 4)
    names = ["embed.weight", "lm_head.weight"]  # FIX: both names of the weight
    for name in names:
        checkpoint[name] = grown(checkpoint[name], model.state_dict()[name])
    model.load_state_dict(checkpoint)

    tied = model.lm_head.weight is model.embed.weight
    healthy = tied and torch.equal(model.embed.weight, checkpoint["embed.weight"])
    print("OBSERVED", json.dumps({"healthy": healthy, "tied": tied}))
    sys.exit(0 if healthy else 1)
