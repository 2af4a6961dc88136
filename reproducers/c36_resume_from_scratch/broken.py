"""C36: a run that was asked to resume finds no checkpoint, and starts from epoch 0.

The first run saves epoch0.pt to epoch2.pt, and the second one looks for last.pt. It prints that
there is no such file, and trains from the start.

Symptom: => no checkpoint found at '…/last.pt', and the epochs start at 0
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile

import torch


def train(folder, epochs, resume=None):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    start = 0
    if resume and not os.path.isfile(resume):
        print(f"=> no checkpoint found at '{resume}'")  # BUG: and goes on
    elif resume:
        checkpoint = torch.load(resume)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        optimizer.zero_grad()
        model(inputs).sub(targets).pow(2).mean().backward()
        optimizer.step()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
        torch.save(state, os.path.join(folder, f"epoch{epoch}.pt"))  # BUG: no file is last.pt
    return start


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs, targets = torch.randn(16, 2), torch.randn(16, 1)
    with tempfile.TemporaryDirectory() as folder:
        train(folder, epochs=3)
        start = train(folder, epochs=6, resume=os.path.join(folder, "last.pt"))
        try:
            train(folder, epochs=6, resume=os.path.join(folder, "lst.pt"))
            after_a_typo = "no error"
        except FileNotFoundError:
            after_a_typo = "FileNotFoundError"

    healthy = start == 3 and after_a_typo != "no error"
    print("OBSERVED", json.dumps({"healthy": healthy, "first_epoch_after_resume": start,
                                  "after_a_typo": after_a_typo}))
    sys.exit(0 if healthy else 1)
