"""E2: all imported names that the installed libraries do not have, before a run fails at the first.

The imports of a program are read, not run: only the libraries that it names are imported.

Symptom: none: 3 names are missing, on lines 2, 3 and 4
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


program = """from torch.optim import SGD
from torch.optim import NoSuchOptimizer
from torch.utils.data import DataLoader, NoSuchLoader
from torch._no_such_module import inf
print(SGD, DataLoader)
"""

if __name__ == "__main__":
    lines = [line for line, _ in missing_names(program)]
    healthy = lines == [2, 3, 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "lines": lines,
                                  "names": [name for _, name in missing_names(program)]}))
    sys.exit(0 if healthy else 1)
