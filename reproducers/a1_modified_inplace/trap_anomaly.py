"""A1: anomaly detection quotes the line that kept the tensor, not the line that wrote to it.

set_detect_anomaly(True) prints the forward call of the operation whose backward() failed. The
write is somewhere after that line.

Symptom: the warning quotes `torch.sigmoid(...)`, and not `out += x`
Needs:   torch; cpu; about 2 s
Run:     python trap_anomaly.py
"""
import json
import sys
import warnings

import torch
from torch import nn

layer = nn.Linear(8, 8)


def forward(x):
    out = torch.sigmoid(layer(x))
    shifted = out * 2
    out += x  # BUG: this line writes to what sigmoid kept
    return out + shifted


if __name__ == "__main__":
    torch.manual_seed(0)
    message = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            try:
                forward(torch.randn(4, 8)).sum().backward()
            except RuntimeError as error:
                message = str(error)
    quoted = "".join(str(warning.message) for warning in caught)

    names_writer, names_keeper = "out += x" in quoted, "torch.sigmoid(" in quoted
    healthy = names_writer and "inplace" in message
    print("OBSERVED", json.dumps({"healthy": healthy, "names_the_line_that_writes": names_writer,
                                  "names_the_line_that_kept": names_keeper}))
    sys.exit(0 if healthy else 1)
