"""L4: the mask counts from the end, where the answers are.

Symptom: none: only the answers are trained on
Needs:   torch; cpu; about 2 s
Run:     python fix_left_padding.py
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
    for row, answer in enumerate(answers):
        labels[row, :-len(answer)] = -100  # FIX: all before the answer, the padding too

    trained_on = [ids[row][labels[row] != -100].tolist() for row in range(len(ids))]
    healthy = trained_on == answers
    print("OBSERVED", json.dumps({"healthy": healthy, "trained_on_row_0": trained_on[0],
                                  "trained_on_row_1": trained_on[1]}))
    sys.exit(0 if healthy else 1)
