"""E1: learning rate schedulers have no argument verbose any more.

verbose=True printed each change of the learning rate. It was deprecated in torch 2.2 and is now
removed.

Symptom: TypeError: ReduceLROnPlateau.__init__() got an unexpected keyword argument 'verbose'
Needs:   torch; cpu; about 2 s
Run:     python broken_verbose.py; python fix_replacements.py
"""
import json
import sys

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau


if __name__ == "__main__":
    optimizer = torch.optim.SGD(torch.nn.Linear(2, 1).parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer, patience=0, verbose=True)  # BUG: removed
    for loss in [1.0, 1.0]:
        scheduler.step(loss)

    rate = round(optimizer.param_groups[0]["lr"], 6)
    healthy = rate == 0.01
    print("OBSERVED", json.dumps({"healthy": healthy, "learning_rate": rate}))
    sys.exit(0 if healthy else 1)
