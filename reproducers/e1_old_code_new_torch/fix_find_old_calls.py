"""E1: a text search lists the outdated calls before a run fails at them.

A run stops at the first outdated call. This search lists all of them with their replacements. It
reads text only, so look at each line before you change it.

Symptom: none: 9 old lines, each named; no line of the new file
Needs:   torch; cpu; about 1 s
Run:     python fix_find_old_calls.py
"""
import json
import re
import sys

OLD_CALLS = {
    r"\.next\(\)": "next(iterator)",
    r"\btorch\._six\b": "str, int, collections.abc",
    r"\b1\s*-\s*\w*mask\b": "~mask, if it is a bool mask",
    r"\.byte\(\)|torch\.uint8|ByteTensor": ".bool(), if it is a mask",
    r"\.train\((?!\)|True|False|mode|self)": "train(True) or train(False)",
    r"verbose\s*=": "no verbose in a scheduler; print get_last_lr()",
    r"\btorch\.(symeig|lstsq|solve|eig|qr|cholesky|rfft|irfft|ger)\b": "torch.linalg, torch.fft",
    r"\.grad\.data|\.grad\s*\+=": "if p.grad is not None, or zero_grad(set_to_none=False)",
    r"[^/]//[^/]": "torch.div(a, b, rounding_mode=...) for tensors that may be negative",
}


def old_calls(source):  # FIX: all of them before a run, not one at each crash
    """The lines of a program that a newer torch may refuse, with the replacement."""
    return [(number, replacement)
            for number, line in enumerate(source.splitlines(), 1)
            for pattern, replacement in OLD_CALLS.items()
            if re.search(pattern, line)]


old = """batch = it.next()
from torch._six import inf
loss = loss * (1 - pad_mask)
seen = torch.zeros(3).byte()
model.train(1)
scheduler = StepLR(opt, 1, verbose=True)
values, _ = torch.symeig(matrix)
p.grad.data.zero_()
cell = offset // stride
"""
new = """batch = next(it)
from math import inf
loss = loss * ~pad_mask
seen = torch.zeros(3).bool()
model.train(True)
model.train()
scheduler = StepLR(opt, 1)
values, _ = torch.linalg.eigh(matrix)
optimizer.zero_grad()
cell = torch.div(offset, stride, rounding_mode="floor")
"""

if __name__ == "__main__":
    lines_of_old, lines_of_new = ([number for number, _ in old_calls(text)] for text in (old, new))
    healthy = lines_of_old == list(range(1, len(OLD_CALLS) + 1)) and not lines_of_new
    print("OBSERVED", json.dumps({"healthy": healthy, "lines_of_old": lines_of_old,
                                  "lines_of_new": lines_of_new}))
    sys.exit(0 if healthy else 1)
