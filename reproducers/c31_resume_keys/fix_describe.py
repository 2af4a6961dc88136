"""C31: the names and types in a checkpoint are printed before anything is read from it.

A resume reads from the file by name. A file that holds only weights, or was saved by other code,
lacks some of the names, or has them in a different layout. torch.load() itself succeeds.

Symptom: none: optimizer: NoneType is in the lines
Needs:   torch; cpu; about 2 s
Run:     python fix_describe.py
"""
import json
import os
import sys
import tempfile

import torch


def build():
    model = torch.nn.Linear(4, 1)
    return model, torch.optim.Adam(model.parameters())


def describe(state, depth=0):
    """One line for each part of a loaded checkpoint, two levels deep."""
    parts = state.items() if isinstance(state, dict) else enumerate(state)
    lines = []
    for name, part in parts:
        size = tuple(part.shape) if torch.is_tensor(part) else ""
        lines.append("  " * depth + f"{name}: {type(part).__name__} {size}".rstrip())
        if depth == 0 and isinstance(part, (dict, list, tuple)):
            lines += describe(part, 1)
    return lines


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        model, optimizer = build()
        torch.save({"model": model.state_dict(), "optimizer": None, "sizes": (3, 5)}, path)
        lines = describe(torch.load(path, map_location="cpu"))  # FIX: look before you read
    print("\n".join(lines))

    healthy = lines == ["model: OrderedDict", "  weight: Tensor (1, 4)", "  bias: Tensor (1,)",
                         "optimizer: NoneType", "sizes: tuple", "  0: int", "  1: int"]
    print("OBSERVED", json.dumps({"healthy": healthy, "lines": len(lines)}))
    sys.exit(0 if healthy else 1)
