"""L2: a check by lengths finds wrong labels.

The check knows the lengths of prompt and text. It compares the places that count with these
lengths, and the labels there with the input.

Symptom: none: of five batches the check accepts the right one and refuses the four wrong ones
Needs:   torch; cpu; about 2 s
Run:     python fix_check_by_lengths.py
"""
import json
import sys

import torch

pad_id = eos_id = 1
ids = torch.tensor([[5, 6, 8, 9, eos_id], [5, 9, eos_id, pad_id, pad_id]])
prompt_lengths, lengths = [2, 1], [5, 3]
right = torch.tensor([[-100, -100, 8, 9, eos_id], [-100, 9, eos_id, -100, -100]])
labels_by_batch = {  # a check should accept the first and no other
    "right": right,
    "padding counted": right.clone().masked_fill(torch.arange(5) >= 3, eos_id),
    "prompt counted": torch.where(torch.arange(5) < 2, ids, right),
    "eos left out": right.masked_fill(right == eos_id, -100),
    "nothing left": torch.full_like(right, -100),
}


def wrong_rows(ids, labels, prompt_lengths, lengths):  # FIX: by lengths, not by values
    position, wrong = torch.arange(ids.shape[1]), []
    for row, (prompt, length) in enumerate(zip(prompt_lengths, lengths)):
        wanted = (position >= prompt) & (position < length)
        right_places = torch.equal(labels[row] != -100, wanted)
        if not right_places or not torch.equal(labels[row][wanted], ids[row][wanted]):
            wrong.append(row)
    return wrong


if __name__ == "__main__":
    verdicts = {name: wrong_rows(ids, labels, prompt_lengths, lengths) == []
                for name, labels in labels_by_batch.items()}
    healthy = list(verdicts.values()) == [True, False, False, False, False]
    print("OBSERVED", json.dumps({"healthy": healthy, "accepted": verdicts}))
    sys.exit(0 if healthy else 1)
