"""R1: looking at one batch, or one more evaluation, changes the rest of the training.

All draws come from one global generator. Each new iterator of a DataLoader takes a number from it,
also with shuffle=False, and so shifts every later draw: the order, dropout, the augmentation.

Symptom: the losses of two runs are equal up to the evaluation, and differ after it
Needs:   torch; cpu; about 3 s
Run:     python broken_extra_draw.py; python fix_own_generator.py
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
    validation_loader = DataLoader(dataset, batch_size=4)  # BUG: iter() draws a number
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
