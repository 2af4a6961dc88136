"""L4: the prompt is cut on its left, and the answer stays whole.

Symptom: none: each text has its answer and its end
Needs:   torch; cpu; about 2 s
Run:     python fix_truncated.py
"""
import json
import sys

import torch

max_length, end = 8, 99
texts = [([1, 2, 3], [11, end]), ([1, 2, 3, 4, 5, 6, 7, 8], [12, end]),
         ([1, 2, 3, 4, 5, 6, 7], [13, end]), ([1, 2], [14, end])]


def encode(prompt, answer):
    prompt = prompt[-(max_length - len(answer)):]  # FIX: makes room for the answer
    ids = prompt + answer  # FIX: the answer is whole
    labels = [-100] * len(prompt) + answer  # FIX: the same
    return torch.tensor(ids), torch.tensor(labels)


if __name__ == "__main__":
    counted = [encode(prompt, answer)[1] for prompt, answer in texts]
    counted_by_text = [int((labels != -100).sum()) for labels in counted]
    ends = sum(int((labels == end).sum()) for labels in counted)

    healthy = ends == len(texts) and min(counted_by_text) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "counted_by_text": counted_by_text,
                                  "ends_of_text": ends}))
    sys.exit(0 if healthy else 1)
