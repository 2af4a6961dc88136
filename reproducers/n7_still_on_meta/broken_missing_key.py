"""N7: a layer that the file does not have stays on the meta device when strict=False is set.

With assign=True the model takes over the tensors of the file. The new head is not in it, so it has
no values, and strict=False hides that.

Symptom: RuntimeError: Tensor on device meta is not on the expected device cpu!
Needs:   torch; cpu; about 2 s
Run:     python broken_missing_key.py; python fix_missing_key.py
"""
import json
import sys

import torch

if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 1):
    print("SKIPPED assign=True is new in torch 2.1")
    sys.exit(77)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(4, 4)
        self.head = torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs, body = torch.randn(8, 4), torch.nn.Linear(4, 4)
    file = {"body.weight": body.weight, "body.bias": body.bias}
    with torch.device("meta"):
        model = Net()
    model.load_state_dict(file, strict=False, assign=True)  # BUG: the head is not in the file
    outputs = model(inputs)

    healthy = bool(outputs.isfinite().all()) and outputs.std().item() > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(outputs.shape)}))
    sys.exit(0 if healthy else 1)
