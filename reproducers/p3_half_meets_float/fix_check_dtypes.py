"""P3: a hook names the first layer whose input has another dtype than its weight.

Without autocast, each layer needs the same dtype in its input and its weight.

Symptom: none: the layer is named in two faulty models, and none in the sound one
Needs:   torch; cpu; about 2 s
Run:     python fix_check_dtypes.py
"""
import json
import sys

import torch
from torch import nn

half = torch.bfloat16  # the same rules as float16, and every CPU has it


def first_mixed_layer(model, batch):  # FIX: ask the layers, do not cast at random
    """The first layer whose input and weight differ in dtype, with both; None if there is none."""
    found = []

    def look(module, inputs, name):
        weight = getattr(module, "weight", None)
        if weight is not None and inputs[0].is_floating_point() and inputs[0].dtype != weight.dtype:
            found.append((name, str(inputs[0].dtype), str(weight.dtype)))

    handles = [module.register_forward_pre_hook(
        lambda module, inputs, name=name: look(module, inputs, name))
        for name, module in model.named_modules()]
    try:
        model(batch)
    except RuntimeError as error:
        found.append(("error", str(error), ""))
    for handle in handles:
        handle.remove()
    return found[0] if found else None


if __name__ == "__main__":
    images = torch.randn(16, 8)
    sound = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2))
    mixed = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2).to(half))
    cases = [first_mixed_layer(sound, images), first_mixed_layer(mixed, images),
             first_mixed_layer(sound, images.to(half))]

    healthy = cases == [None, ("2", "torch.float32", "torch.bfloat16"),
                        ("0", "torch.bfloat16", "torch.float32")]
    print("OBSERVED", json.dumps({"healthy": healthy, "found": cases}))
    sys.exit(0 if healthy else 1)
