"""N6: after a resize the weights are tied again.

tie() makes the head use the new embedding weight and adapts its number of outputs. It is called
again after anything that replaces one of the two weights.

Symptom: none: one parameter, and 12 outputs for 12 tokens
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        self.tie()

    def tie(self):
        self.lm_head.weight = self.embed.weight
        self.lm_head.out_features = self.embed.num_embeddings

    def forward(self, ids):
        return self.lm_head(self.embed(ids))


def resize(model, vocabulary):
    old = model.embed.weight.detach()
    model.embed = nn.Embedding(vocabulary, old.shape[1])
    with torch.no_grad():
        model.embed.weight[:len(old)] = old
    model.tie()  # FIX: after anything that replaces one of them


if __name__ == "__main__":
    torch.manual_seed(0)
    model = LanguageModel(10, 4)
    before = len(list(model.parameters()))
    resize(model, 12)
    logits = model(torch.tensor([3, 11]))

    tied = model.lm_head.weight is model.embed.weight
    healthy = tied and logits.shape[1] == 12
    print("OBSERVED", json.dumps({
        "healthy": healthy, "tied": tied, "embedded_tokens": model.embed.num_embeddings,
        "outputs": logits.shape[1],
        "parameters_before_and_after": [before, len(list(model.parameters()))]}))
    sys.exit(0 if healthy else 1)
