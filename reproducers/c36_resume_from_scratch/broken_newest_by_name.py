"""C36: the last checkpoint by name is not the newest one, so a resume goes back some epochs.

Names are sorted as text, and epoch_9.pt comes after epoch_11.pt. The run continues at epoch 10 and
overwrites two checkpoints.

Symptom: the run had finished epoch 11, and continues at epoch 10
Needs:   torch; cpu; about 2 s
Run:     python broken_newest_by_name.py; python fix_newest.py
"""
import glob
import json
import os
import sys
import tempfile

import torch


def train(folder, epochs):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    start = 0
    files = glob.glob(os.path.join(folder, "epoch_*.pt"))
    if files:
        checkpoint = torch.load(sorted(files)[-1])  # BUG: epoch_9 is the last one
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    steps = 0
    for epoch in range(start, epochs):
        optimizer.zero_grad()
        model(inputs).sub(targets).pow(2).mean().backward()
        optimizer.step()
        steps += 1
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
        torch.save(state, os.path.join(folder, f"epoch_{epoch}.pt"))
    return start, steps


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs, targets = torch.randn(16, 2), torch.randn(16, 1)
    with tempfile.TemporaryDirectory() as folder:
        train(folder, epochs=12)
        start, steps = train(folder, epochs=15)

    healthy = start == 12 and steps == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "first_epoch_after_resume": start,
                                  "epochs_after_resume": steps}))
    sys.exit(0 if healthy else 1)
