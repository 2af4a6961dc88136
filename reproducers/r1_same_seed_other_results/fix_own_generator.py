"""R1: with a generator of its own, an evaluation changes nothing in the training.

The validation loader draws from its own generator, so the global generator is the same after the
evaluation as before.

Symptom: none: all losses of two runs are equal, with and without the evaluation
Needs:   torch; cpu; about 3 s
Run:     python fix_own_generator.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

num_steps = 4
evaluate_after = 2


def train(evaluate):
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(16, 8))
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    validation_loader = DataLoader(dataset, batch_size=4,
                                   generator=torch.Generator())  # FIX
    losses = []
    for images, in loader:
        loss = model(images).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if evaluate and len(losses) == evaluate_after:
            model.eval()
            with torch.no_grad():
                losses_of_validation = [model(images).mean() for images, in validation_loader]
            assert len(losses_of_validation) == 4
            model.train()
    return losses


if __name__ == "__main__":
    without, with_it = train(evaluate=False), train(evaluate=True)

    equal = sum(a == b for a, b in zip(without, with_it))
    healthy = equal == num_steps and len(set(without)) == num_steps
    print("OBSERVED", json.dumps({"healthy": healthy, "equal_losses": equal,
                                  "steps": len(without)}))
    sys.exit(0 if healthy else 1)
