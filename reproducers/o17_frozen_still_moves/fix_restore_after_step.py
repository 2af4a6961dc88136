"""O17: rows that are restored after each step stay the same.

The old rows are copied before training and written back after each step, whatever the optimizer did
to them.

Symptom: none: 90 rows stay as they were, and the 10 new ones move
Needs:   torch; cpu; about 3 s
Run:     python fix_restore_after_step.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
pretrained = 90  # of 100 rows; only the 10 new ones are to be trained
embedding, head = nn.Embedding(100, 8), nn.Linear(8, 2)
optimizer = torch.optim.AdamW(list(embedding.parameters()) + list(head.parameters()), lr=0.01)
tokens, labels = torch.arange(100), torch.randint(2, (100,))

if __name__ == "__main__":
    original = embedding.weight.detach().clone()
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(embedding(tokens)), labels).backward()
        optimizer.step()
        with torch.no_grad():
            embedding.weight[:pretrained] = original[:pretrained]  # FIX: after every step

    change = (embedding.weight - original).abs().amax(dim=1)
    moved = int((change[:pretrained] > 0).sum())
    healthy = moved == 0 and bool((change[pretrained:] > 0).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_rows_moved": moved,
                                  "by_at_most": round(change[:pretrained].max().item(), 5),
                                  "new_rows_moved": int((change[pretrained:] > 0).sum())}))
    sys.exit(0 if healthy else 1)
