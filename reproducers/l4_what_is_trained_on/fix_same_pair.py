"""L4: the prompt is cut on its left, so both answers of a preference pair are whole.

The loss of DPO starts at log 2, since the policy is still the reference, and falls.

Symptom: none: the loss falls from 0.6931
Needs:   torch; cpu; about 3 s
Run:     python broken_same_pair.py; python fix_same_pair.py
"""
import copy
import json
import sys

import torch
from torch.nn.functional import logsigmoid

max_length = 8
prompt = [1, 2, 3, 4, 5, 6, 7, 8]
chosen, rejected = [9, 10], [11, 12]


def cut(answer):
    return torch.tensor((prompt + answer)[-max_length:])  # FIX: the left of the prompt goes


def log_probability(model, ids):
    log_probs = model(ids[:-1]).log_softmax(-1)
    return log_probs.gather(1, ids[1:, None]).sum()


if __name__ == "__main__":
    torch.manual_seed(0)
    policy = torch.nn.Sequential(torch.nn.Embedding(13, 8), torch.nn.Linear(8, 13))
    reference = copy.deepcopy(policy)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.5)
    losses = []
    for step in range(10):
        margin = 0
        for answer, sign in ((cut(chosen), 1), (cut(rejected), -1)):
            with torch.no_grad():
                base = log_probability(reference, answer)
            margin = margin + sign * (log_probability(policy, answer) - base)
        loss = -logsigmoid(0.1 * margin)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(round(loss.item(), 4))

    healthy = losses[0] == 0.6931 and losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "first_loss": losses[0],
                                  "last_loss": losses[-1]}))
    sys.exit(0 if healthy else 1)
