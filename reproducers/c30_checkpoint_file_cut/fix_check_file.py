"""C30: zipfile finds a file that is cut, and one that is damaged.

A checkpoint is a zip archive. Its table of contents is at the end, so a cut file has none. Each
tensor has a checksum, and testzip() compares them all.

Symptom: none: the good file passes, the two others do not
Needs:   torch; cpu; about 2 s
Run:     python fix_check_file.py
"""
import json
import os
import sys
import tempfile
import zipfile

import torch


def what_is_wrong(path):
    """None if the file is complete and each tensor has the checksum it was saved with."""
    if not zipfile.is_zipfile(path):
        return "cut"
    with zipfile.ZipFile(path) as archive:
        return None if archive.testzip() is None else "damaged"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        torch.save(torch.nn.Linear(512, 512).state_dict(), path)
        with open(path, "rb") as file:
            whole = file.read()
        half = len(whole) // 2
        damaged = whole[:half] + b"\xff\xff\xff\xff" + whole[half + 4:]
        found = {}
        for name, content in {"whole": whole, "cut": whole[:half], "damaged": damaged}.items():
            with open(path, "wb") as file:
                file.write(content)
            found[name] = what_is_wrong(path)  # FIX: ask before loading

    healthy = found == {"whole": None, "cut": "cut", "damaged": "damaged"}
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
