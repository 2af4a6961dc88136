"""S2: a hook on each embedding names the one that fails, and its ids.

The message of torch says neither which embedding it was nor which id.

Symptom: none: in four faulty batches the right embedding is named, and the sound batch passes
Needs:   torch; cpu; about 2 s
Run:     python fix_check_ids.py
"""
import json
import sys

import torch
from torch import nn


def require_rows(name, embedding, ids):
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= embedding.num_embeddings:
        raise IndexError("{}: ids {} to {}, but rows 0 to {}".format(
            name, low, high, embedding.num_embeddings - 1))


def check_embeddings(model):  # FIX: once, before training
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding):
            module.register_forward_pre_hook(
                lambda module, inputs, name=name: require_rows(name, module, inputs[0]))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(100, 4), nn.Embedding(8, 4)
        self.types = nn.Embedding(2, 4)

    def forward(self, ids, types):
        return self.tokens(ids) + self.positions(torch.arange(ids.shape[1])) + self.types(types)


if __name__ == "__main__":
    model = Model()
    check_embeddings(model)
    ids, types = torch.arange(6)[None], torch.zeros(1, 6, dtype=torch.int64)
    batches = {"sound": (ids, types), "token": (ids + 95, types), "pad": (ids - 1, types),
               "long text": (ids.repeat(1, 2), types.repeat(1, 2)), "type": (ids, types + 2)}
    found = {}
    for fault, batch in batches.items():
        try:
            found[fault] = "passes with shape {}".format(list(model(*batch).shape))
        except IndexError as error:
            found[fault] = str(error)

    healthy = list(found.values()) == [
        "passes with shape [1, 6, 4]", "tokens: ids 95 to 100, but rows 0 to 99",
        "tokens: ids -1 to 4, but rows 0 to 99", "positions: ids 0 to 11, but rows 0 to 7",
        "types: ids 2 to 2, but rows 0 to 1"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found_by_fault": found}))
    sys.exit(0 if healthy else 1)
