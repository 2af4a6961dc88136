"""A5: the check: names of trainable parameters without a gradient.

After the first backward(), a trainable parameter without a gradient was cut off. The list is empty
for a block that keeps its graph, and names both LoRA weights of a block that was cut off.

Symptom: 2 names with the reentrant checkpoint, none with use_reentrant=False
Needs:   torch; cpu; about 2 s
Run:     python fix_list_unreached.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    """A frozen layer with a LoRA beside it."""

    def __init__(self):
        super().__init__()
        self.base = nn.Linear(8, 8).requires_grad_(False)
        self.lora_a = nn.Linear(8, 2, bias=False)
        self.lora_b = nn.Linear(2, 8, bias=False)

    def forward(self, x):
        return x + torch.tanh(self.base(x) + self.lora_b(self.lora_a(x)))


def unreached(model):
    """Trainable parameters that backward() did not reach."""
    return [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]


def names_after_backward(**options):
    model = nn.Sequential(nn.Embedding(10, 8).requires_grad_(False), Block(), nn.Linear(8, 10))
    x = checkpoint(model[1], model[0](torch.arange(10)), **options)
    model[2](x).pow(2).mean().backward()
    return unreached(model)


if __name__ == "__main__":
    torch.manual_seed(0)
    cut = names_after_backward()
    kept = names_after_backward(use_reentrant=False)  # FIX: keeps the graph

    healthy = cut == ["1.lora_a.weight", "1.lora_b.weight"] and kept == []
    print("OBSERVED", json.dumps({"healthy": healthy, "cut_off": len(cut), "cut_off_with_false":
                                  len(kept)}))
    sys.exit(0 if healthy else 1)
