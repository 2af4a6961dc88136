"""E2: list every imported name that the installed libraries do not have.

A run stops at the first of them, and the next one appears after the first is corrected. The program
is parsed, not run; the modules that it names are imported.

Symptom: none: 3 missing names, on lines 2, 3 and 4 of the program
Needs:   torch; cpu; about 3 s
Run:     python fix_find_missing_names.py
"""
import ast
import importlib
import json
import sys


def missing_names(source):  # FIX: all of them at once
    """The names that a program imports and the installed libraries do not have: (line, name)."""
    missing = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                try:
                    getattr(importlib.import_module(node.module), alias.name)
                except (ImportError, AttributeError):
                    missing.append((node.lineno, node.module + "." + alias.name))
    return missing


# Imports of programs from 2018. Only the names of the first line, and DataLoader, are still there.
program = """from torch.optim import SGD
from torch.utils.data.dataloader import DataLoader, _DataLoaderIter
from torch.utils.serialization import load_lua
from torch.utils.ffi import create_extension
"""

if __name__ == "__main__":
    missing = missing_names(program)
    names = [name for _, name in missing]
    healthy = [line for line, _ in missing] == [2, 3, 4] and names[0].endswith("_DataLoaderIter")
    print("OBSERVED", json.dumps({"healthy": healthy, "names": names}))
    sys.exit(0 if healthy else 1)
