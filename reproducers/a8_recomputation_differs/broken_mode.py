"""A8: a block that behaves differently in eval mode is recomputed after model.eval().

The validation begins before backward(), and switches the model to eval mode. The recomputed block
has no dropout, and saves one tensor fewer.

Symptom: CheckpointError: A different number of tensors was saved during the original forward
Needs:   torch; cpu; about 2 s
Run:     python broken_mode.py; python fix_mode.py
"""
import json
import sys

import torch
from torch.utils.checkpoint import checkpoint

if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 1):
    print("SKIPPED older versions of torch do not compare the two runs")
    sys.exit(77)

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(torch.nn.functional.dropout(self.layer(x), 0.1, self.training))


if __name__ == "__main__":
    torch.manual_seed(0)
    block, inputs = Block(), torch.randn(2, 4, requires_grad=True)
    loss = checkpoint(block, inputs, use_reentrant=False).sum()
    block.eval()  # BUG: before backward(), which runs the block again
    loss.backward()

    healthy = block.layer.weight.grad is not None and inputs.grad is not None
    print("OBSERVED", json.dumps({"healthy": healthy, "training": block.training}))
    sys.exit(0 if healthy else 1)
