"""R1: use_deterministic_algorithms(True) does not make two numbers of threads agree.

It chooses deterministic kernels. They give the same result in each run with the same settings on
the same machine, and the number of threads is one of these settings.

Symptom: losses agree to about 7 digits, and the weights are not equal
Needs:   torch; cpu; about 3 s
Run:     python trap_deterministic_flag.py
"""
import json
import sys

import torch

num_steps = 20
torch.use_deterministic_algorithms(True)  # BUG: not for a different number of threads


def train(threads):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    model = torch.nn.Linear(32, 32)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(num_steps):
        images = torch.rand(8192, 32)
        loss = model(images - images.mean()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, torch.cat([weight.detach().flatten() for weight in model.parameters()])


if __name__ == "__main__":
    losses, weights = train(threads=1)
    other_losses, other_weights = train(threads=2)

    largest = max(abs(a - b) / a for a, b in zip(losses, other_losses))
    equal = torch.equal(weights, other_weights)
    healthy = equal and losses == other_losses and len(set(losses)) == num_steps
    print("OBSERVED", json.dumps({"healthy": healthy, "equal_weights": equal, "largest": largest,
                                  "close": torch.allclose(weights, other_weights, atol=1e-5)}))
    sys.exit(0 if healthy else 1)
