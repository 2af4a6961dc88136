"""C36: a resume takes the checkpoint with the highest number, and trains as many epochs as asked.

The number in the name decides which file is the newest. The epochs that the caller asks for are
added to those that are done.

Symptom: none: after 12 epochs, 3 more, and 3 more
Needs:   torch; cpu; about 2 s
Run:     python fix_newest.py
"""
import glob
import json
import os
import re
import sys
import tempfile

import torch


def number(file):
    return int(re.search(r"(\d+)\.pt$", file).group(1))


def train(folder, epochs):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    start = 0
    files = glob.glob(os.path.join(folder, "epoch_*.pt"))
    if files:
        checkpoint = torch.load(max(files, key=number))  # FIX: by number, not by text
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    steps = 0
    for epoch in range(start, start + epochs):  # FIX: this many more
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
        train(folder, epochs=3)
        start, steps = train(folder, epochs=3)

    healthy = start == 15 and steps == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "first_epoch_after_resume": start,
                                  "epochs_after_resume": steps}))
    sys.exit(0 if healthy else 1)
