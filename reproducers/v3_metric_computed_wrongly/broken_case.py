"""V3: right words count as errors because of capital letters and commas.

The references are in capitals, the model writes lower case.

Symptom: no error: a word error rate of 1.0
Needs:   torch; cpu; about 3 s
Run:     python broken_case.py
"""
import json
import sys

import torch

torch.manual_seed(0)
references = ["HELLO WORLD", "GOOD MORNING, TEAM"]
outputs = ["hello world", "good morning team"]


def words(text):
    """The words of a text."""
    return text.split()  # BUG: capitals and commas are part of a word


if __name__ == "__main__":
    wrong = [r != o for a, b in zip(references, outputs) for r, o in zip(words(a), words(b))]
    rate = torch.tensor(wrong).float().mean().item()

    healthy = rate == 0

    print("OBSERVED", json.dumps({"healthy": healthy, "word_error_rate": rate}))
    sys.exit(0 if healthy else 1)
