"""E7: a flag that is set to False on the command line is True.

argparse calls type on the text. bool("False") is True, because the text is not empty.

Symptom: no error: the augmentation is on although the command says False
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import argparse
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
command = ["--augment", "False"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--augment", type=bool, default=True)  # BUG: bool("False")
    args = parser.parse_args(command)

    images = torch.ones(4, 1, 8, 8)
    if args.augment:
        images = images + 0.1 * torch.randn(images.shape)
    noise = float((images - 1).abs().max())

    healthy = noise == 0

    print("OBSERVED", json.dumps({"healthy": healthy, "largest_noise": round(noise, 2)}))
    sys.exit(0 if healthy else 1)
