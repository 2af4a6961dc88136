"""O37: the loss is taken out of the output object of a language model.

With labels the model computes it; without them, output.logits goes into your own loss.

Symptom: none: the loss falls
Needs:   torch, transformers; cpu; about 12 s
Run:     python fix_output_object.py; python broken_output_object.py
"""
import json
import sys

import torch

try:
    from transformers import GPT2Config, GPT2LMHeadModel
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

if __name__ == "__main__":
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=20, n_positions=8))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    ids = torch.randint(0, 20, (4, 8))
    losses = []
    for _ in range(10):
        loss = model(input_ids=ids, labels=ids).loss  # FIX
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 2),
                                  "loss_last": round(losses[-1], 2)}))
    sys.exit(0 if healthy else 1)
