"""L2: masking by pad_id removes every end of text if pad is eos.

With pad_token = eos_token the padding and the end of a text have the same id. Masking by value
removes both, so the model never learns to stop.

Symptom: after training with pad_token = eos_token the model repeats itself and never stops
Needs:   torch; cpu; about 3 s
Run:     python broken_pad_is_eos.py; python fix_mask_from_lengths.py
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
    labels[labels == pad_id] = -100  # BUG: removes the end of every text, not only the padding
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
