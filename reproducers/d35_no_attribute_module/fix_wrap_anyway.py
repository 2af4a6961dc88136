"""D35: DataParallel also works without a second GPU.

If you cannot change the code that uses `.module`, wrap the model. Without a GPU, DataParallel
only passes the call on.

Symptom: none: all 4 tensors are saved and loaded
Needs:   torch; cpu; about 3 s
Run:     python fix_wrap_anyway.py
"""
import io
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.encoder(x)))


def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.randn(16, 4)
    losses = []
    for _ in range(5):
        loss = model(inputs).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()
    model = nn.DataParallel(net)  # FIX: whatever the number of GPUs
    losses = train(model)
    file = io.BytesIO()
    torch.save(model.module.state_dict(), file)
    file.seek(0)
    state = torch.load(file)
    prefixed = sum(key.startswith("module.") for key in state)
    plain = Net()
    plain.load_state_dict(state)

    same = [torch.equal(a, b) for a, b in zip(plain.parameters(), net.parameters())]
    healthy = same == [True] * 4 and prefixed == 0 and losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_as_trained": sum(same),
                                  "steps": len(losses)}))
    sys.exit(0 if healthy else 1)
