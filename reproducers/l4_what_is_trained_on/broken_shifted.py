"""L4: the labels are shifted by the dataset, and again by the model.

Models of Hugging Face shift inside. Shifted twice, the model learns the token after the next. The
loss falls as it should.

Symptom: no error, loss near 0; after 3 the model says 5
Needs:   torch; cpu; about 3 s
Run:     python broken_shifted.py; python fix_shifted.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(10, 16), nn.Linear(16, 10)

    def forward(self, ids, labels=None):
        logits = self.head(self.embedding(ids))
        if labels is None:
            return logits
        return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for step in range(100):
        text = (torch.randint(10, (16, 1)) + torch.arange(8)) % 10  # counts up: 7 8 9 0 1 ...
        ids, labels = text[:, :-1], text[:, 1:]  # BUG: the model shifts the labels again
        loss = model(ids, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    after_3 = model(torch.tensor([[3]]))[0, -1].argmax().item()
    healthy = after_3 == 4
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 2),
                                  "token_after_3": after_3}))
    sys.exit(0 if healthy else 1)
