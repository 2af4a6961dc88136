"""A3: the embeddings come from encode(), which a library runs without gradients.

encode(), generate(), predict() and pipelines are made for the finished model: they switch
gradients off inside.

Symptom: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
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
    anchor, positive, negative = map(model.encode, (anchors, positives, negatives))  # BUG
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
