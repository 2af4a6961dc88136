"""L2: labels cloned from the input put prompt and padding into the loss.

The labels are a copy of the padded input, so the model also learns the prompt and the padding.
pad_id fills the input; -100 tells the loss to skip a position.

Symptom: of 16 positions in the loss only 5 belong to the answers
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch.nn.functional import cross_entropy

pad_id, eos_id = 0, 1
samples = [([5, 6, 7, 5, 6], [8, 9, eos_id]), ([5], [9, eos_id])]  # (prompt, answer)


def collate(samples):
    width = max(len(prompt) + len(answer) for prompt, answer in samples) + 1
    ids = torch.full((len(samples), width), pad_id)
    mask = torch.zeros_like(ids)  # the attention mask
    for row, (prompt, answer) in enumerate(samples):
        end = len(prompt) + len(answer)
        ids[row, :end] = torch.tensor(prompt + answer)
        mask[row, :end] = 1
    labels = ids.clone()  # BUG: the loss counts the prompt and the padding
    return ids, mask, labels


def kinds(samples, width):
    """The kind of each position: p prompt, a answer, e end of text, . padding."""
    rows = [["p"] * len(p) + ["a"] * (len(a) - 1) + ["e"] for p, a in samples]
    return [row + ["."] * (width - len(row)) for row in rows]


if __name__ == "__main__":
    torch.manual_seed(0)
    ids, mask, labels = collate(samples)
    logits = torch.randn(*ids.shape, 10)
    loss = cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())  # next token

    flat = [k for row in kinds(samples, ids.shape[1]) for k in row[1:]]
    kept = (labels[:, 1:] != -100).flatten().tolist()
    counted = {name: sum(k == kind for k, keep in zip(flat, kept) if keep)
               for name, kind in (("prompt", "p"), ("answer", "a"), ("eos", "e"), ("padding", "."))}
    healthy = counted == {"prompt": 0, "answer": 3, "eos": 2, "padding": 0}
    print("OBSERVED", json.dumps({"healthy": healthy, "positions_in_loss": counted,
                                  "loss": round(loss.item(), 3)}))
    sys.exit(0 if healthy else 1)
