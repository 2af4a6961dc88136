"""L2: a check by pad_id refuses right labels and accepts wrong ones.

The check takes each pad_id for padding. If pad is eos, the end of a text looks like padding, so the
check refuses right labels and accepts wrong ones.

Symptom: with pad equal to eos the right batch is refused, and two that teach nothing are accepted
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
batches = {  # kind of batch: its labels, and whether a check should accept it
    "right": (right, True),
    "padding counted": (right.clone().masked_fill(torch.arange(5) >= 3, eos_id), False),
    "prompt counted": (torch.where(torch.arange(5) < 2, ids, right), False),
    "eos left out": (right.masked_fill(right == eos_id, -100), False),
    "nothing left": (torch.full_like(right, -100), False),
}


def accepts(labels):
    """The check that is often recommended."""
    mask = torch.arange(5) < torch.tensor(lengths)[:, None]  # right, also if pad_id == eos_id
    from_ids = torch.equal(mask, ids.ne(pad_id))  # BUG: takes each pad_id for padding
    return from_ids and bool((labels[~mask] == -100).all())


def accepts_without_mask(labels):
    """The same, if the batch has the mask that this check expects."""
    mask = ids.ne(pad_id)
    return bool((labels[~mask] == -100).all())  # BUG: does not look at what is left


if __name__ == "__main__":
    verdicts = {name: [accepts(labels), accepts_without_mask(labels)]
                for name, (labels, _) in batches.items()}
    wanted = {name: [good, good] for name, (_, good) in batches.items()}
    healthy = verdicts == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "accepted": verdicts}))
    sys.exit(0 if healthy else 1)
