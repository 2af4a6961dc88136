"""D35: without .module, a wrapped model saves keys that begin with module.

`.module` was deleted to make the script run on one GPU. Then it runs with DataParallel again, and
the keys of the file have a prefix. With strict=False, nothing is loaded and nothing is raised.

Symptom: 4 of 4 keys have the prefix, and no tensor is loaded
Needs:   torch; cpu; about 3 s
Run:     python trap_delete_module.py
"""
import io
import json
import sys

import torch
from torch import nn

gpus = 2  # torch.cuda.device_count() in a real script


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
    model = nn.DataParallel(net) if gpus > 1 else net
    losses = train(model)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)  # BUG: .module was deleted
    file.seek(0)
    state = torch.load(file)
    prefixed = sum(key.startswith("module.") for key in state)
    plain = Net()
    plain.load_state_dict(state, strict=False)

    same = [torch.equal(a, b) for a, b in zip(plain.parameters(), net.parameters())]
    healthy = same == [True] * 4 and prefixed == 0 and losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_as_trained": sum(same),
                                  "prefixed": prefixed, "steps": len(losses)}))
    sys.exit(0 if healthy else 1)
