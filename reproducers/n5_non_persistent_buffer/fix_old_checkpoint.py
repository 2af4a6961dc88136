"""N5: old checkpoints load again after the persistent flag of a buffer was changed.

After the persistent flag of a buffer was changed, old checkpoints lack its key or have an extra
one. For a buffer that the constructor computes, the model's own value is right in both.

Symptom: none: old checkpoints load strictly in both directions, and the check lists one name
Needs:   torch; cpu; about 2 s
Run:     python trap_old_checkpoint.py; python fix_old_checkpoint.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, persistent):
        super().__init__()
        self.head = nn.Linear(4, 2)
        self.register_buffer("position_ids", torch.arange(4), persistent=persistent)


def fit_buffers(checkpoint, model):
    """Add and drop buffers, so that a checkpoint from before the change loads strictly."""
    state = model.state_dict()
    for name, _ in model.named_buffers():
        if name in state:
            checkpoint.setdefault(name, state[name])  # FIX: was not saved at that time
        else:
            checkpoint.pop(name, None)  # FIX: is not saved any more
    return checkpoint


def unsaved_buffers(model):
    """Names of the buffers that move with the model but are not in its checkpoint."""
    return sorted(set(dict(model.named_buffers())) - set(model.state_dict()))


if __name__ == "__main__":
    missing = []
    for now in (True, False):
        checkpoint, model = Net(persistent=not now).state_dict(), Net(persistent=now)
        report = model.load_state_dict(fit_buffers(checkpoint, model))
        missing += report.missing_keys

    unsaved = [unsaved_buffers(Net(persistent)) for persistent in (True, False)]
    healthy = missing == [] and unsaved == [[], ["position_ids"]]
    print("OBSERVED", json.dumps({"healthy": healthy, "missing_keys": missing,
                                  "unsaved_if_not_persistent": unsaved[1]}))
    sys.exit(0 if healthy else 1)
