"""E7: several values on the command line become a list.

nargs takes all values up to the next option.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_list.py
"""
import argparse
import json
import sys

import torch

torch.manual_seed(0)
command = ["--devices", "0", "1"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", nargs="+", type=int)  # FIX: values with spaces
    args = parser.parse_args(command)
    devices = [int(number) for number in args.devices]

    healthy = devices == [0, 1]

    print("OBSERVED", json.dumps({"healthy": healthy, "devices": devices}))
    sys.exit(0 if healthy else 1)
