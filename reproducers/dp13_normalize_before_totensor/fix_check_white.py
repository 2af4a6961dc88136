"""DP13: one white image shows whether Normalize ran, with the right statistics, and last.

A white image must come out as (1 - mean) / std in each channel. Every other result means that
Normalize did not run, ran on another range, or was followed by something that clamps.

Symptom: none: all four wrong transforms are refused, and the right one is accepted
Needs:   torch, torchvision, PIL; cpu; about 4 s
Run:     python fix_check_white.py; python broken.py
"""
import json
import sys

import torch

try:
    from PIL import Image
    from torchvision import transforms as T
except ImportError as missing:
    print(f"SKIPPED {missing.name} is not installed")
    sys.exit(77)

mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def check(transform):
    x = transform(Image.new("RGB", (256, 256), (255, 255, 255)))
    expected = (1 - torch.tensor(mean)) / torch.tensor(std)
    assert torch.allclose(x.amax(dim=(1, 2)), expected, atol=0.05), x.amax(dim=(1, 2))  # FIX


def passes(transform):
    try:
        check(transform)
    except AssertionError:
        return False
    return True


if __name__ == "__main__":
    good = T.Compose([T.ToTensor(), T.Normalize(mean, std)])
    bad = {
        "never_normalised": T.ToTensor(),
        "one_statistic": T.Compose([T.ToTensor(), T.Normalize(mean[:1], std[:1])]),
        "jitter_after_normalize": T.Compose([good, T.ColorJitter(brightness=(0.9, 0.9))]),
        "scaled_twice": T.Compose([T.ToTensor(), T.Lambda(lambda x: x / 255),
                                   T.Normalize(mean, std)]),
    }
    accepted = {name: passes(transform) for name, transform in bad.items()}

    healthy = passes(good) and list(accepted.values()) == [False] * 4
    print("OBSERVED", json.dumps({"healthy": healthy, "accepted": accepted}))
    sys.exit(0 if healthy else 1)
