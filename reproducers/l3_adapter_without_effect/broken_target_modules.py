"""L3: the names of another architecture match no layer.

The layers of this model are query and value. q_proj and v_proj are those of Llama and many others.

Symptom: Target modules {'q_proj', 'v_proj'} not found in the base model.
Needs:   torch, peft, transformers; cpu; about 10 s
Run:     python broken_target_modules.py; python fixed.py
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


if __name__ == "__main__":
    config = LoraConfig(r=2, target_modules=["q_proj", "v_proj"])  # BUG: names of another model
    model = get_peft_model(new_encoder(), config)

    adapted = sum("lora_A" in name for name, _ in model.named_parameters())
    healthy = adapted == 2

    print("OBSERVED", json.dumps({"healthy": healthy, "layers_with_an_adapter": adapted}))
    sys.exit(0 if healthy else 1)
