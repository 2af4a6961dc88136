"""L2: the language-model loss counts prompt and padding, or leaves out the end of the text.

pad_id fills the input to a rectangle; -100 tells the loss to skip a position. The two answer
different questions, and neither follows from the other: a prompt is no padding and is skipped,
an end-of-text token may look like padding and is learned. Labels are best made from lengths.

Symptom: a check by lengths accepts the right batch and refuses the four wrong ones
Needs:   torch; cpu; about 2 s
Run:     python fix_check_by_lengths.py
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
    for row, (prompt, length) in enumerate(zip(prompts, lengths)):
        counted = labels[row] != -100  # FIX: compare with the lengths, not with the values
        wanted = (torch.arange(5) >= prompt) & (torch.arange(5) < length)
        if not torch.equal(counted, wanted) or not torch.equal(labels[row][wanted],
                                                               ids[row][wanted]):
            return False
    return True


if __name__ == "__main__":
    verdicts = {name: accepts(labels)
                for name, (labels, _) in batches.items()}
    wanted = {name: good for name, (_, good) in batches.items()}
    healthy = verdicts == wanted
    print("OBSERVED", json.dumps({"healthy": healthy, "accepted": verdicts}))
    sys.exit(0 if healthy else 1)
