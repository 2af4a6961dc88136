"""E7: a list on the command line becomes its characters.

list("0,1") is ['0', ',', '1'].

Symptom: ValueError: invalid literal for int() with base 10: ','
Needs:   torch; cpu; about 3 s
Run:     python broken_list.py
"""
import argparse
import json
import sys

import torch

torch.manual_seed(0)
command = ["--devices", "0,1"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=list)  # BUG: one character each
    args = parser.parse_args(command)
    devices = [int(number) for number in args.devices]

    healthy = devices == [0, 1]

    print("OBSERVED", json.dumps({"healthy": healthy, "devices": devices}))
    sys.exit(0 if healthy else 1)
