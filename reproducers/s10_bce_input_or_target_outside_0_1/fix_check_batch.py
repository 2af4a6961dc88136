"""S10: a check before BCELoss names what is wrong with the batch.

It looks at the prediction and at the target separately, and at nan before the range: a nan has
a different cause than a missing sigmoid.

Symptom: none: the fault of each of four batches is named, and the good batch passes
Needs:   torch; cpu; about 2 s
Run:     python fix_check_batch.py
"""
import json
import sys

import torch


def bce_problem(prediction, target):  # FIX: look at both, and at nan first
    """What BCELoss would refuse in this batch; None if nothing."""
    for name, values in [("prediction", prediction), ("target", target)]:
        if not torch.isfinite(values).all():
            return name + " has nan or inf"
        if values.min() < 0 or values.max() > 1:
            return "{} goes from {:.9g} to {:.9g}".format(name, values.min(), values.max())


if __name__ == "__main__":
    fine, target = torch.tensor([0.2, 1.0, 0.0]), torch.tensor([0.0, 1.0, 1.0])
    holed = torch.tensor([0.2, float("nan"), 3.0])
    found = [bce_problem(*batch) for batch in [
        (fine, target), (holed, target), (fine * 4 - 1, target), (fine, target * 255),
        (fine, holed)]]

    healthy = found == [None, "prediction has nan or inf", "prediction goes from -1 to 3",
                        "target goes from 0 to 255", "target has nan or inf"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
