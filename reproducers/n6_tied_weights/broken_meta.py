"""N6: to_empty() unties weights, and a load does not tie them again.

to_empty() makes a new tensor in each module, so the two modules no longer hold the same one. The
load fills both with equal values, and the first step makes them different.

Symptom: a tied model that was built on meta has two weights, which drift apart
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
        self.lm_head.weight = self.embed.weight


if __name__ == "__main__":
    torch.manual_seed(0)
    checkpoint = LanguageModel(10, 4).state_dict()
    model = LanguageModel(10, 4).to("meta")
    model = model.to_empty(device="cpu")  # BUG: one new tensor per module, not one per weight
    model.load_state_dict(checkpoint)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.lm_head(model.embed(torch.tensor([1, 2]))).pow(2).mean().backward()
    optimizer.step()

    equal = torch.equal(model.lm_head.weight, model.embed.weight)
    healthy = model.lm_head.weight is model.embed.weight and equal
    print("OBSERVED", json.dumps({"healthy": healthy, "equal_after_one_step": equal,
                                  "parameters": len(list(model.parameters()))}))
    sys.exit(0 if healthy else 1)
