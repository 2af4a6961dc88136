"""L3: a second adapter is loaded, and the first one answers.

load_adapter adds an adapter under its name. The active one is still the one from before, here a new
adapter that adds zero.

Symptom: none: the outputs are those of the base
Needs:   torch, peft, transformers; cpu; about 10 s
Run:     python broken_not_active.py; python fix_load_and_activate.py
"""
import json
import sys
import tempfile

import torch
from torch import nn

try:
    from peft import LoraConfig, PeftModel, get_peft_model
except ImportError:
    print("SKIPPED peft is not installed")
    sys.exit(77)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.value = nn.Linear(8, 8)

    def forward(self, x):
        return self.value(self.query(x).relu())


def new_encoder():
    torch.manual_seed(0)  # as if loaded: the same weights each time
    return Encoder()


def train(encoder, head, inputs, targets, steps=5):
    parameters = [*encoder.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD([p for p in parameters if p.requires_grad], lr=0.1)
    for step in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(head(encoder(inputs)), targets).backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(1)
    inputs, targets, head = torch.randn(32, 8), torch.randn(32, 1), nn.Linear(8, 1)
    with tempfile.TemporaryDirectory() as folder:
        encoder = get_peft_model(new_encoder(), LoraConfig(r=2, target_modules=["query", "value"]))
        train(encoder, head, inputs, targets)
        encoder.save_pretrained(folder)
        expected = encoder(inputs).detach()

        config = LoraConfig(r=2, target_modules=["query", "value"])
        loaded = get_peft_model(new_encoder(), config)
        loaded.load_adapter(folder, adapter_name="tuned")  # BUG: "default" stays active

    base = new_encoder()(inputs)
    differs_from_base = not torch.allclose(loaded(inputs), base, atol=1e-6)
    healthy = torch.allclose(loaded(inputs), expected, atol=1e-6)

    print("OBSERVED", json.dumps({"healthy": healthy, "active": loaded.active_adapter,
                                  "differs_from_base": differs_from_base}))
    sys.exit(0 if healthy else 1)
