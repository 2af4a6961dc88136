"""Python runs this at its start, because `dpkb audit` puts this folder first on PYTHONPATH.

It runs the sitecustomize that it hides, then arranges that the audit begins when torch is imported.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _run_hidden_sitecustomize():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    others = [entry for entry in sys.path if os.path.abspath(entry) != _FOLDER]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    _run_hidden_sitecustomize()
finally:
    if os.environ.get("DPKB_AUDIT_FOLDER"):
        from dpkb_audit.start import begin_at_import

        begin_at_import()
