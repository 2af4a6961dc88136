"""E1: a function of linear algebra was removed.

torch.symeig, torch.lstsq, torch.solve and others moved to torch.linalg. The old names still exist
and raise an error that names the new function.

Symptom: RuntimeError: This function was deprecated since version 1.9 and is now removed.
Needs:   torch; cpu; about 2 s
Run:     python broken_removed_function.py; python fix_replacements.py
"""
import json
import sys

import torch

covariance = [[2.0, 1.0], [1.0, 2.0]]


if __name__ == "__main__":
    values, vectors = torch.symeig(torch.tensor(covariance), eigenvectors=True)  # BUG: removed

    values = [round(value, 4) for value in values.tolist()]
    healthy = values == [1.0, 3.0] and vectors.shape == (2, 2)
    print("OBSERVED", json.dumps({"healthy": healthy, "eigenvalues": values}))
    sys.exit(0 if healthy else 1)
