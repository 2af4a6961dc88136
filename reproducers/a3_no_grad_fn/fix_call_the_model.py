"""A3: tokenize, and call the model itself.

model(tokens) has a graph, and is what encode() calls inside.

Symptom: none: the loss falls
Needs:   torch; cpu; about 2 s
Run:     python broken_encode.py; python fix_call_the_model.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)


class TextEncoder(nn.Module):
    """Like SentenceTransformer: forward() is for training, encode() for the finished model."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.EmbeddingBag(26, 8)

    def tokenize(self, texts):
        return torch.tensor([[ord(letter) - ord("a") for letter in text] for text in texts])

    def forward(self, tokens):
        return self.embedding(tokens)

    @torch.no_grad()
    def encode(self, texts):
        return self(self.tokenize(texts))


model = TextEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
anchors, positives, negatives = ["cat", "sea"], ["dog", "lak"], ["tax", "law"]


def training_step():
    batches = map(model.tokenize, (anchors, positives, negatives))  # FIX
    anchor, positive, negative = map(model, batches)  # FIX
    loss = nn.functional.triplet_margin_loss(anchor, positive, negative)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    losses = [training_step() for _ in range(20)]

    healthy = losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
