"""Writes a small pair of scripts from which mutants can be made."""

from __future__ import annotations

from pathlib import Path

from support import write_catalogue

_BODY = """
def limit(numbers):
    return numbers[:{limit}]  # {mark}: as many as there are


if __name__ == "__main__":
    seen = len(limit(list(range(8))))
    healthy = seen == 8
    print("OBSERVED", json.dumps({{"healthy": healthy, "seen": seen}}))
    sys.exit(0 if healthy else 1)
"""


def write_pair(folder: Path, fixed: str = "8", broken: str = "3", more: str = "") -> Path:
    """Write a catalogue of one pair.

    fixed, broken: how many of eight numbers each script returns. more: code for the top of fixed.py.
    """
    write_catalogue(folder)
    page = folder / "kb/zz1_made.md"
    # The claim names the fix, and what is measured.
    named = f"limit={fixed}" + (" and patience=3" if "patience" in more else "")
    page.write_text(page.read_text().replace("claim: it works", f"claim: with {named} all are seen"))
    for name, limit, mark in (("broken", broken, "BUG"), ("fixed", fixed, "FIX")):
        path = folder / "reproducers/zz1_made" / f"{name}.py"
        head = path.read_text().split("value = ")[0]
        path.write_text(head + (more if name == "fixed" else "") + _BODY.format(limit=limit, mark=mark))
    return folder
