"""V3: both texts are normalised before they are compared.

Lower case, and no punctuation.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_normalise.py
"""
import json
import sys

import torch

torch.manual_seed(0)
references = ["HELLO WORLD", "GOOD MORNING, TEAM"]
outputs = ["hello world", "good morning team"]


def words(text):
    """The words of a text."""
    return "".join(c for c in text.lower() if c.isalnum() or c == " ").split()  # FIX


if __name__ == "__main__":
    wrong = [r != o for a, b in zip(references, outputs) for r, o in zip(words(a), words(b))]
    rate = torch.tensor(wrong).float().mean().item()

    healthy = rate == 0

    print("OBSERVED", json.dumps({"healthy": healthy, "word_error_rate": rate}))
    sys.exit(0 if healthy else 1)
