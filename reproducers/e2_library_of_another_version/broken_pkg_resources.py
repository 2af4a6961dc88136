"""E2: a library asks pkg_resources for versions, and setuptools has it no more.

setuptools 82 has removed pkg_resources. Python 3.12 and newer install no setuptools at all.

Symptom: ModuleNotFoundError: No module named 'pkg_resources'
Needs:   torch, setuptools; cpu; about 3 s
Run:     python broken_pkg_resources.py
"""
import json
import sys

import torch

try:
    import setuptools
except ImportError:
    print("SKIPPED setuptools is not installed")
    sys.exit(77)


if __name__ == "__main__":
    from pkg_resources import parse_version  # BUG: gone in setuptools 82

    healthy = parse_version(torch.__version__) >= parse_version("1.8")
    print("OBSERVED", json.dumps({"healthy": healthy, "setuptools": setuptools.__version__}))
    sys.exit(0 if healthy else 1)
