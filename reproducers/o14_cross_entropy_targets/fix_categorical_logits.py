"""O14: scores as the logits of a distribution give the probabilities of their softmax.

Categorical(logits=scores) and Categorical(probs=softmax(scores)) are the same distribution.

Symptom: none: the probability is that of the softmax
Needs:   torch; cpu; about 2 s
Run:     python fix_categorical_logits.py
"""
import json
import sys

import torch
from torch.distributions import Categorical

scores = torch.tensor([[8.0, 0.0, 0.0]])  # what the policy computes for three actions

if __name__ == "__main__":
    policy = Categorical(logits=scores)  # FIX: no softmax
    best = policy.probs[0, 0]

    wanted = scores.exp()[0, 0] / scores.exp().sum()
    healthy = torch.allclose(best, wanted)
    print("OBSERVED", json.dumps({"healthy": healthy, "probability": round(best.item(), 4),
                                  "wanted": round(wanted.item(), 4)}))
    sys.exit(0 if healthy else 1)
