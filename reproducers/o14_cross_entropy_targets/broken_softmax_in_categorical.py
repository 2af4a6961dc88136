"""O14: probabilities as the logits of a distribution make it almost uniform.

Categorical(logits=...) applies a softmax itself. After a softmax the numbers lie between 0 and 1,
so three actions differ by a factor of e at most: the policy cannot become certain.

Symptom: a policy that is certain (0.9993) acts with a probability of 0.576
Needs:   torch; cpu; about 2 s
Run:     python broken_softmax_in_categorical.py; python fix_categorical_logits.py
"""
import json
import sys

import torch
from torch.distributions import Categorical

scores = torch.tensor([[8.0, 0.0, 0.0]])  # what the policy computes for three actions

if __name__ == "__main__":
    policy = Categorical(logits=torch.softmax(scores, 1))  # BUG: logits= wants the scores
    best = policy.probs[0, 0]

    wanted = scores.exp()[0, 0] / scores.exp().sum()
    healthy = torch.allclose(best, wanted)
    print("OBSERVED", json.dumps({"healthy": healthy, "probability": round(best.item(), 4),
                                  "wanted": round(wanted.item(), 4)}))
    sys.exit(0 if healthy else 1)
