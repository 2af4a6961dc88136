"""L2: the language-model loss counts prompt and padding, or leaves out the end of the text.

pad_id fills the input to a rectangle; -100 tells the loss to skip a position. The two answer
different questions, and neither follows from the other: a prompt is no padding and is skipped,
an end-of-text token may look like padding and is learned. Labels are best made from lengths.

Symptom: the usual check of a batch accepts batches that teach nothing and refuses a right one
Needs:   torch; cpu; about 2 s
Run:     python trap_check_by_pad_id.py; python fix_check_by_lengths.py
"""
import json
import sys

import torch

pad_id = eos_id = 1
ids = torch.tensor([[5, 6, 8, 9, eos_id], [5, 9, eos_id, pad_id, pad_id]])
prompts, lengths = [2, 1], [5, 3]
right = torch.tensor([[-100, -100, 8, 9, eos_id], [-100, 9, eos_id, -100, -100]])
batches = {  # what a batch is, its labels, and what a check should say
    "right": (right, True),
    "padding counted": (right.clone().masked_fill(torch.arange(5) >= 3, eos_id), False),
    "prompt counted": (torch.where(torch.arange(5) < 2, ids, right), False),
    "eos left out": (right.masked_fill(right == eos_id, -100), False),
    "nothing left": (torch.full_like(right, -100), False),
}


def accepts(labels):
    """The check that is often recommended."""
    mask = torch.arange(5) < torch.tensor(lengths)[:, None]  # right, also where pad_id == eos_id
    from_ids = torch.equal(mask, ids.ne(pad_id))  # BUG: says that mask and pad_id are one thing
    return from_ids and bool((labels[~mask] == -100).all())


def accepts_without_mask(labels):
    """The same, where the batch carries the mask that this check wants to see."""
    mask = ids.ne(pad_id)
    return bool((labels[~mask] == -100).all())  # BUG: never asks what is left to learn


if __name__ == "__main__":
    verdicts = {name: [accepts(labels), accepts_without_mask(labels)]
                for name, (labels, _) in batches.items()}
    wanted = {name: [good, good] for name, (_, good) in batches.items()}
    healthy = verdicts == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "accepted": verdicts}))
    sys.exit(0 if healthy else 1)
