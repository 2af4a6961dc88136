"""O5: dropout that eval() cannot reach stays random in eval mode.

A layer that is created in forward() is a new module in training mode, and eval() never reaches it.
scaled_dot_product_attention applies dropout_p in every mode.

Symptom: in eval mode the same input gives two different outputs
Needs:   torch; cpu; about 2 s
Run:     python trap_dropout_in_forward.py; python fix_functional_dropout.py
"""
import json
import sys

import torch
from torch import nn


class MadeInForward(nn.Module):
    def forward(self, x):
        return nn.Dropout(0.5)(x)  # BUG: a new module is in training mode; eval() never sees it


class Attention(nn.Module):
    def forward(self, x):
        attend = nn.functional.scaled_dot_product_attention
        return attend(x, x, x, dropout_p=0.5)  # BUG: applied in every mode; pass 0.0 in eval mode


torch.manual_seed(0)
x = torch.randn(2, 4, 8, 16)
models = {"nn.Dropout made in forward": MadeInForward()}
if hasattr(nn.functional, "scaled_dot_product_attention"):  # torch 2.0 or newer
    models["scaled_dot_product_attention"] = Attention()

if __name__ == "__main__":
    still_random = []
    for name, model in models.items():
        model.eval()
        with torch.no_grad():
            if not torch.allclose(model(x), model(x)):
                still_random.append(name)

    healthy = len(still_random) == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "random_in_eval_mode": still_random}))
    sys.exit(0 if healthy else 1)
