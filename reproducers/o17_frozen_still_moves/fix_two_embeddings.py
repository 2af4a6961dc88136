"""O17: rows in a separate, frozen embedding stay the same.

The old rows are a separate tensor that never gets a gradient. The optimizer skips it, and the new
rows train.

Symptom: none: the 90 rows of the frozen embedding stay as they were, and the 10 new ones move
Needs:   torch; cpu; about 3 s
Run:     python fix_two_embeddings.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
pretrained = 90  # of 100 rows; only the 10 new ones are to be trained
old, new, head = nn.Embedding(pretrained, 8), nn.Embedding(10, 8), nn.Linear(8, 2)
old.requires_grad_(False)  # FIX: a separate tensor, which never has a gradient
optimizer = torch.optim.AdamW([*old.parameters(), *new.parameters(), *head.parameters()], lr=0.01)
tokens, labels = torch.arange(100), torch.randint(2, (100,))

if __name__ == "__main__":
    before = torch.cat([old.weight, new.weight]).detach()
    for _ in range(50):
        optimizer.zero_grad()
        table = torch.cat([old.weight, new.weight])
        nn.functional.cross_entropy(head(table[tokens]), labels).backward()
        optimizer.step()

    change = (torch.cat([old.weight, new.weight]) - before).abs().amax(dim=1)
    moved = int((change[:pretrained] > 0).sum())
    healthy = moved == 0 and bool((change[pretrained:] > 0).all())
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen_rows_moved": moved,
                                  "by_at_most": round(change[:pretrained].max().item(), 5),
                                  "new_rows_moved": int((change[pretrained:] > 0).sum())}))
    sys.exit(0 if healthy else 1)
