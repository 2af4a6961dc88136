"""N7: a model that was built on the meta device cannot be moved: its weights have no values.

On the meta device a tensor has a shape and no memory. load_state_dict() copies into its weights,
and that copies nothing.

Symptom: NotImplementedError: Cannot copy out of meta tensor; no data!
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch

if not hasattr(torch.device, "__enter__"):
    print("SKIPPED `with torch.device` is new in torch 2.0")
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
    trained, inputs = Net(), torch.randn(8, 4)
    with torch.device("meta"):
        model = Net()
    model.load_state_dict(trained.state_dict())
    model.to("cpu")  # BUG: the weights have no values yet

    healthy = torch.equal(model(inputs), trained(inputs))
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs_are_equal": healthy}))
    sys.exit(0 if healthy else 1)
