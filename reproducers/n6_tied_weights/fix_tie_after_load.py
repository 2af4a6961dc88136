"""N6: weights that were untied by to_empty() are tied again after the load.

to_empty() makes a separate tensor for each module. Tying after the load, and before the optimizer
is built, makes them one Parameter again.

Symptom: none: one parameter, and both modules hold it after a step
Needs:   torch; cpu; about 2 s
Run:     python broken_meta.py; python fix_tie_after_load.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (1, 13):
    print("SKIPPED torch 1.13 or newer is needed (device meta)")
    sys.exit(77)


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, dim):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.lm_head = nn.Linear(dim, vocabulary, bias=False)
        self.tie()

    def tie(self):
        self.lm_head.weight = self.embed.weight


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint = LanguageModel(10, 4).state_dict()
    model = LanguageModel(10, 4).to("meta")
    model = model.to_empty(device="cpu")
    model.load_state_dict(checkpoint)
    model.tie()  # FIX: after the load, before the optimizer
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.lm_head(model.embed(torch.tensor([1, 2]))).pow(2).mean().backward()
    optimizer.step()

    equal = torch.equal(model.lm_head.weight, model.embed.weight)
    healthy = model.lm_head.weight is model.embed.weight and equal
    print("OBSERVED", json.dumps({"healthy": healthy, "equal_after_one_step": equal,
                                  "parameters": len(list(model.parameters()))}))
    sys.exit(0 if healthy else 1)
