"""N7: load_state_dict(assign=True) puts the tensors of the file into a model on the meta device.

The model takes over the tensors of the file, on their device and in their dtype, so nothing has to
be copied.

Symptom: none: the outputs are those of the saved model
Needs:   torch; cpu; about 2 s
Run:     python fix_assign.py
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
    trained, inputs = Net(), torch.randn(8, 4)
    with torch.device("meta"):
        model = Net()
    model.load_state_dict(trained.state_dict(), assign=True)  # FIX: takes over the tensors

    healthy = torch.equal(model(inputs), trained(inputs))
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs_are_equal": healthy}))
    sys.exit(0 if healthy else 1)
