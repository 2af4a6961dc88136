"""O39: with a learning rate that suits Adam the model tells all three classes apart.

The same transformer, data and number of steps, with a rate of 0.001.

Symptom: none: all 3 classes are predicted, and the loss is far below that of the frequencies
Needs:   torch; cpu; about 8 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 32)
        layer = nn.TransformerEncoderLayer(32, nhead=4, dim_feedforward=64, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, num_layers=4)
        self.head = nn.Linear(32, 3)

    def forward(self, ids):
        return self.head(self.encoder(self.embedding(ids.t())).mean(0))


if __name__ == "__main__":
    torch.manual_seed(0)
    ids = torch.randint(20, (240, 6))
    labels = ids.max(1).values.sub(14).clamp(0, 4).div(2, rounding_mode="floor")
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)  # FIX: a rate for Adam
    for step in range(120):
        batch = torch.randint(240, (32,))
        optimizer.zero_grad()
        cross_entropy(model(ids[batch]), labels[batch]).backward()
        optimizer.step()

    model.eval()
    with torch.no_grad():
        logits = model(ids)
    share = torch.bincount(labels, minlength=3) / len(labels)
    entropy = -(share * share.log()).sum().item()
    loss = cross_entropy(logits, labels).item()
    classes = logits.argmax(1).unique().numel()
    spread = logits.std(0).max().item()
    healthy = classes == 3 and loss < 0.5 * entropy
    print("OBSERVED", json.dumps({"healthy": healthy, "classes_predicted": classes,
                                  "spread_of_logits": round(spread, 3), "loss": round(loss, 2),
                                  "loss_of_the_frequencies": round(entropy, 2)}))
    sys.exit(0 if healthy else 1)
