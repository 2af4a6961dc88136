"""O17: embedding rows whose gradient is set to zero still move.

A gradient of zero is still a gradient. AdamW makes a step for these rows, and its weight decay
moves them.

Symptom: weight decay moves all 90 rows that were meant to be frozen
Needs:   torch; cpu; about 3 s
Run:     python trap_masked_gradient.py; python fix_two_embeddings.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
pretrained = 90  # of 100 rows; only the 10 new ones are to be trained
embedding, head = nn.Embedding(100, 8), nn.Linear(8, 2)
optimizer = torch.optim.AdamW(list(embedding.parameters()) + list(head.parameters()), lr=0.01)
tokens, labels = torch.arange(100), torch.randint(2, (100,))
embedding.weight.register_hook(lambda grad: torch.cat(
    [torch.zeros_like(grad[:pretrained]), grad[pretrained:]]))  # BUG: zero is still a gradient

if __name__ == "__main__":
    before = embedding.weight.detach().clone()
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(embedding(tokens)), labels).backward()
        optimizer.step()

    change = (embedding.weight - before).abs().amax(dim=1)
    moved = int((change[:pretrained] > 0).sum())
    healthy = moved == 0 and bool((change[pretrained:] > 0).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_rows_moved": moved,
                                  "by_at_most": round(change[:pretrained].max().item(), 5),
                                  "new_rows_moved": int((change[pretrained:] > 0).sum())}))
    sys.exit(0 if healthy else 1)
