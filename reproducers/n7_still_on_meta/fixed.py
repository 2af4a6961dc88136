"""N7: a model that was built on the meta device gets memory first, then the weights of the file.

to_empty() gives each weight memory on the device, and load_state_dict() fills it.

Symptom: none: the outputs are those of the saved model
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
    model.to_empty(device="cpu")  # FIX: memory first
    model.load_state_dict(trained.state_dict())

    healthy = torch.equal(model(inputs), trained(inputs))
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs_are_equal": healthy}))
    sys.exit(0 if healthy else 1)
