"""C36: a resumed run ends at once, since its last epoch lies behind the one of the checkpoint.

The number of epochs counts from the start of training. A run that has done 12 of them and is asked
for 3 has nothing left to do, and ends as if it had trained.

Symptom: 0 epochs, no error, and the same weights as before
Needs:   torch; cpu; about 2 s
Run:     python broken_past_the_end.py; python fix_newest.py
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
        checkpoint = torch.load(os.path.join(folder, "epoch_11.pt"))
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    steps = 0
    for epoch in range(start, epochs):  # BUG: range(12, 3) is empty
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
        start, steps = train(folder, epochs=3)

    healthy = start == 12 and steps == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "first_epoch_after_resume": start,
                                  "epochs_after_resume": steps}))
    sys.exit(0 if healthy else 1)
