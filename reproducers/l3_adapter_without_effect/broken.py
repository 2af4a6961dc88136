"""L3: an adapter that is trained further after loading does not change.

PeftModel.from_pretrained loads an adapter for inference, with requires_grad False. The head outside
of it still trains, so the loss falls, and nothing is raised.

Symptom: trainable params: 0, and no tensor of the adapter moves
Needs:   torch, peft, transformers; cpu; about 10 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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

        base = new_encoder()
        encoder = PeftModel.from_pretrained(base, folder)  # BUG: for inference only
        encoder.print_trainable_parameters()
        before = {name: p.detach().clone() for name, p in encoder.named_parameters()}
        train(encoder, head, inputs, targets)

    moved = sum(not torch.equal(p, before[name]) for name, p in encoder.named_parameters())
    healthy = moved == 4  # A and B of two layers

    print("OBSERVED", json.dumps({"healthy": healthy, "adapter_tensors_moved": moved}))
    sys.exit(0 if healthy else 1)
