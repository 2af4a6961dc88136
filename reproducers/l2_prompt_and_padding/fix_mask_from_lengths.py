"""L2: a mask from the lengths keeps the end of text in the loss.

Positions behind the length of a text are padding. The end of the text has the same id, but it lies
within the length and stays in the loss.

Symptom: none: with pad_token = eos_token the model stops after 4 tokens
Needs:   torch; cpu; about 3 s
Run:     python fix_mask_from_lengths.py
"""
import json
import sys

import torch
from torch import nn

eos_id = pad_id = 1  # the usual line for a tokenizer without a pad token
texts = [[5, 6, 7, eos_id], [5, 6, 7, eos_id], [6, 7, eos_id]]
lengths = torch.tensor([len(text) for text in texts])


def collate(texts):
    ids = torch.full((len(texts), int(lengths.max())), pad_id)
    for row, text in enumerate(texts):
        ids[row, :len(text)] = torch.tensor(text)
    labels = ids.clone()
    labels[torch.arange(ids.shape[1]) >= lengths[:, None]] = -100  # FIX: by length, not by value
    return ids, labels


if __name__ == "__main__":
    model = nn.Embedding(10, 10)  # the logits of the next token, given this one
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=5.0)
    ids, labels = collate(texts)
    for _ in range(50):
        optimizer.zero_grad()
        logits = model(ids)[:, :-1]
        nn.functional.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten()).backward()
        optimizer.step()

    generated = [5]
    while generated[-1] != eos_id and len(generated) < 20:
        generated.append(int(model.weight[generated[-1]].argmax()))
    eos_in_loss = int((labels[:, 1:] == eos_id).sum())
    healthy = len(generated) == 4 and eos_in_loss == len(texts)
    print("OBSERVED", json.dumps({"healthy": healthy, "tokens_until_it_stopped": len(generated),
                                  "eos_in_loss": eos_in_loss, "texts": len(texts)}))
    sys.exit(0 if healthy else 1)
