"""E5: which distribution has a module: the name for pip is often another one.

pip installs distributions; programs import modules. Each distribution lists its files, and so
which modules it has.

Symptom: none: torchgen, functorch and torch belong to the distribution torch
Needs:   torch; cpu; about 5 s
Run:     python fix_distribution_name.py
"""
import json
import sys
from importlib.metadata import distributions


def distributions_of(module):
    """The installed distributions that have this module: PyYAML for yaml, Pillow for PIL."""
    found = set()
    for distribution in distributions():
        tops = {file.parts[0] for file in distribution.files or ()}
        if tops & {module, module + ".py"}:
            found.add(distribution.metadata["Name"])
    return sorted(found)


if __name__ == "__main__":
    modules = ["torch", "torchgen", "functorch"]
    found = [distributions_of(module) for module in modules]  # FIX: ask what is installed

    healthy = found == [["torch"]] * len(modules)
    print("OBSERVED", json.dumps({"healthy": healthy, "modules": modules, "found": found}))
    sys.exit(0 if healthy else 1)
