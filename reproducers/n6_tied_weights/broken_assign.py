"""N6: load_state_dict(assign=True) unties weights.

The checkpoint of a tied model has the weight under two names. assign=True makes a Parameter of
each, so the model has two where it had one.

Symptom: a tied model has two parameters after the load; after a conversion they drift apart
Needs:   torch; cpu; about 2 s
Run:     python broken_assign.py; python fix_tie_after_load.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 1):
    print("SKIPPED torch 2.1 or newer is needed (assign=True)")
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
    model = LanguageModel(10, 4)
    model.load_state_dict(checkpoint, assign=True)  # BUG: one new Parameter per name
    model.to(torch.float64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.lm_head(model.embed(torch.tensor([1, 2]))).pow(2).mean().backward()
    optimizer.step()

    equal = torch.equal(model.lm_head.weight, model.embed.weight)
    healthy = model.lm_head.weight is model.embed.weight and equal
    print("OBSERVED", json.dumps({"healthy": healthy, "equal_after_one_step": equal,
                                  "parameters": len(list(model.parameters()))}))
    sys.exit(0 if healthy else 1)
