"""N7: the modules that are still on the meta device are listed, and get memory and start values.

fill_empty() does for each of them what its constructor would have done.

Symptom: none: the new head is named, and the model runs
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


def fill_empty(model, device):
    """Gives the modules that are still on the meta device memory and start values; their names."""
    filled = []
    for name, module in model.named_modules():
        own = [*module.parameters(recurse=False), *module.buffers(recurse=False)]
        if any(tensor.is_meta for tensor in own):
            module.to_empty(device=device, recurse=False)
            module.reset_parameters()
            filled.append(name)
    return filled


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs, body = torch.randn(8, 4), torch.nn.Linear(4, 4)
    file = {"body.weight": body.weight, "body.bias": body.bias}
    with torch.device("meta"):
        model = Net()
    model.load_state_dict(file, strict=False, assign=True)
    filled = fill_empty(model, "cpu")  # FIX: the head starts as in a new model
    outputs = model(inputs)

    healthy = bool(outputs.isfinite().all()) and filled == ["head"]
    print("OBSERVED", json.dumps({"healthy": healthy, "filled": filled}))
    sys.exit(0 if healthy else 1)
