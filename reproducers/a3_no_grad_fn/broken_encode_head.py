"""A3: a head behind encode() learns, and the encoder never does, without an error.

encode() runs without gradients, so the graph begins at the head. If it runs under
inference_mode() in place of no_grad(), the same code raises (A7).

Symptom: 20 steps without an error, and the encoder is as it was
Needs:   torch; cpu; about 2 s
Run:     python broken_encode_head.py
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


model, head = TextEncoder(), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=0.05)
texts, labels = ["cat", "sea", "tax", "law"], torch.tensor([0, 0, 1, 1])


def training_step():
    logits = head(model.encode(texts))  # BUG
    loss = nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    before = model.embedding.weight.detach().clone()
    losses = [training_step() for _ in range(20)]

    moved = not torch.equal(before, model.embedding.weight)
    healthy = moved and losses[-1] < 0.9 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "encoder_moved": moved,
                                  "loss_first_and_last": [round(losses[0], 2),
                                                          round(losses[-1], 2)]}))
    sys.exit(0 if healthy else 1)
