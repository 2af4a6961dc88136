"""O38: zero_grad() is called once per epoch.

The call is in the outer loop, so within an epoch the gradients add up. Here, with 4 batches in an
epoch, the loss still goes to 0.

Symptom: none in a task as easy as this one: the loss goes to 0
Needs:   torch; cpu; about 3 s
Run:     python broken_once_per_epoch.py
"""
import json
import sys

import torch

inputs = torch.linspace(-1, 1, 32).reshape(-1, 1)
targets = 3 * inputs
batches = [(inputs[i::4], targets[i::4]) for i in range(4)]


def train(model, optimizer):
    """The loss of each step, and how many steps used more than the gradient of their own batch."""
    losses, old = [], 0
    for epoch in range(30):
        optimizer.zero_grad()  # BUG: in the loop over epochs
        for x, y in batches:
            loss = torch.nn.functional.mse_loss(model(x), y)
            own = torch.autograd.grad(loss, model.weight, retain_graph=True)[0]
            loss.backward()
            old += not torch.allclose(model.weight.grad, own)
            optimizer.step()
            losses.append(loss.item())
    return losses, old


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses, old = train(model, optimizer)
    first, smallest, last = (round(loss, 2) for loss in (losses[0], min(losses), max(losses[-16:])))

    healthy = last < 0.01 and old == 0 and len(losses) == 120
    print("OBSERVED", json.dumps({"healthy": healthy, "first_loss": first, "smallest": smallest,
                                  "largest_of_last_16": last,
                                  "steps_with_old_gradients": old}))
    sys.exit(0 if healthy else 1)
