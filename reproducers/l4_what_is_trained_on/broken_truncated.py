"""L4: texts are cut on the right, where the answers are.

A long prompt fills max_length. Its answer, or the end of it, is gone. The sample teaches
nothing, or an answer that does not end.

Symptom: 0 counted tokens in one text, 2 ends in 4 texts
Needs:   torch; cpu; about 2 s
Run:     python broken_truncated.py; python fix_truncated.py
"""
import json
import sys

import torch

max_length, end = 8, 99
texts = [([1, 2, 3], [11, end]), ([1, 2, 3, 4, 5, 6, 7, 8], [12, end]),
         ([1, 2, 3, 4, 5, 6, 7], [13, end]), ([1, 2], [14, end])]


def encode(prompt, answer):
    ids = (prompt + answer)[:max_length]  # BUG: cuts off the answer of a long prompt
    labels = ([-100] * len(prompt) + answer)[:max_length]  # BUG: the same
    return torch.tensor(ids), torch.tensor(labels)


if __name__ == "__main__":
    counted = [encode(prompt, answer)[1] for prompt, answer in texts]
    counted_by_text = [int((labels != -100).sum()) for labels in counted]
    ends = sum(int((labels == end).sum()) for labels in counted)

    healthy = ends == len(texts) and min(counted_by_text) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "counted_by_text": counted_by_text,
                                  "ends_of_text": ends}))
    sys.exit(0 if healthy else 1)
