"""D10: GroupNorm keeps no statistics from training, so ranks cannot differ in them.

The same layer is trained on one rank's data or on the other's, and then validated.

Symptom: none: the GroupNorm outputs are equal, the BatchNorm outputs differ by 9.63
Needs:   torch; cpu; about 2 s
Run:     python fix_groupnorm.py
"""
import json
import sys

import torch

num_steps = 50
half = torch.ones(32, 1)
batch_by_rank = [torch.cat([half, -half]), torch.cat([half, -half]) + 10]


def kept_from_training(norm):
    """How far validation moves when the same layer was trained on this rank or on that."""
    probe = torch.linspace(-1, 1, 8).reshape(2, 4, 1)
    outputs = []
    for batch in batch_by_rank:
        layer = norm()
        for step in range(num_steps):
            layer.train()(batch.reshape(-1, 4, 1))
        outputs.append(layer.eval()(probe))
    return float((outputs[0] - outputs[1]).abs().max())


if __name__ == "__main__":
    batchnorm = kept_from_training(lambda: torch.nn.BatchNorm1d(4))
    groupnorm = kept_from_training(lambda: torch.nn.GroupNorm(2, 4))  # FIX

    healthy = groupnorm == 0 and batchnorm > 1
    print("OBSERVED", json.dumps({"healthy": healthy, "difference_batchnorm": round(batchnorm, 2),
                                  "difference_groupnorm": groupnorm}))
    sys.exit(0 if healthy else 1)
