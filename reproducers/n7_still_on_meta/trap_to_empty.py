"""N7: to_empty() after loading makes the error go away, and the weights are whatever was in memory.

The message suggests to_empty(). It gives memory without values, so it has to come before
load_state_dict().

Symptom: no error, and other outputs than those of the saved model
Needs:   torch; cpu; about 2 s
Run:     python trap_to_empty.py
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
    model.to_empty(device="cpu")  # BUG: nothing is loaded after this

    healthy = torch.equal(model(inputs), trained(inputs))
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs_are_equal": healthy}))
    sys.exit(0 if healthy else 1)
