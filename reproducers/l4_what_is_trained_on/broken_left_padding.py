"""L4: the mask counts from the left, and the batch is padded on the left.

The mask covers the padding of the short text, and leaves its prompt in the loss.

Symptom: no error: the prompt 5, 6 of the short text is trained on
Needs:   torch; cpu; about 2 s
Run:     python broken_left_padding.py; python fix_left_padding.py
"""
import json
import sys

import torch

pad = 0
prompts = [[1, 2, 3, 4], [5, 6]]
answers = [[11, 99], [12, 99]]


def pad_left(rows, value):
    width = max(map(len, rows))
    return torch.tensor([[value] * (width - len(row)) + row for row in rows])


if __name__ == "__main__":
    ids = pad_left([p + a for p, a in zip(prompts, answers)], pad)
    labels = ids.clone()
    for row, prompt in enumerate(prompts):
        labels[row, :len(prompt)] = -100  # BUG: the prompt is behind the padding

    trained_on = [ids[row][labels[row] != -100].tolist() for row in range(len(ids))]
    healthy = trained_on == answers
    print("OBSERVED", json.dumps({"healthy": healthy, "trained_on_row_0": trained_on[0],
                                  "trained_on_row_1": trained_on[1]}))
    sys.exit(0 if healthy else 1)
