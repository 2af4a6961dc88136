"""E1: train() refuses a value that is not a bool.

Module.train(mode) once took anything that is true or false, such as an integer from a config file.
A class whose own train() has other parameters passes them on to its children in the same way.

Symptom: ValueError: training mode is expected to be boolean
Needs:   torch; cpu; about 2 s
Run:     python broken_train_mode.py
"""
import json
import sys

from torch import nn

is_train = 1  # as argparse or a config file gives it


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
    model.eval()
    model.train(is_train)  # BUG: an int

    training = [bool(module.training) for module in model]
    healthy = training == [True, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "training_by_module": training}))
    sys.exit(0 if healthy else 1)
