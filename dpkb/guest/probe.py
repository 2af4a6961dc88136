"""Prints as JSON what an interpreter has: its version, torch's and torchvision's, where bytecode is kept.

Runs under any Python from 3.8 on; imports only the standard library. dpkb starts it with `python -I`, so
that no file of the current folder is imported: probe.py [gpu] or probe.py has NAME. Packages are found where
the interpreter would find them without -I, and are not imported, except torch for `gpu`.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import os
import platform
import re
import site
import sys


def search_path() -> list[str]:
    """Where packages are found without -I: also in PYTHONPATH and the user's site-packages, and there first.

    Relative folders are left out. The standard library stays in front, so that nothing replaces it.
    """
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    if sees_user_site():
        named.append(site.getusersitepackages())
    standard = [entry for entry in sys.path if not entry.endswith(("site-packages", "dist-packages"))]
    return standard + named + [entry for entry in sys.path if entry not in standard]


def sees_user_site() -> bool:
    """Whether the interpreter looks into the user's site-packages: not in most virtual environments."""
    if os.environ.get("PYTHONNOUSERSITE"):
        return False
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg")) as file:
            return re.search(r"include-system-site-packages\s*=\s*true", file.read()) is not None
    except OSError:
        return True


def find(name: str, path: list[str]) -> str | None:
    """The file that `import name` would load first, or None."""
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    return spec.origin if spec else None


def version(name: str, path: list[str]) -> str | None:
    """The version of an installed package, or None."""
    try:
        from importlib.metadata import distributions

        versions = [distribution.version for distribution in distributions(name=name, path=path)]
        if versions and versions[0]:
            return versions[0]
    except Exception:  # broken metadata
        pass
    origin = find(name, path)
    try:
        with open(os.path.join(os.path.dirname(origin or ""), "version.py")) as file:
            match = re.search("__version__ = '(.+)'", file.read())
            return match and match.group(1)
    except OSError:
        return None


def bytecode(name: str, path: list[str]) -> tuple[bool, bool]:
    """Whether the bytecode of a package can be kept, and whether it is there."""
    origin = find(name, path)
    if origin is None:
        return True, True
    sys.pycache_prefix = os.environ.get("PYTHONPYCACHEPREFIX")
    there = os.path.exists(importlib.util.cache_from_source(origin))
    writes = not os.environ.get("PYTHONDONTWRITEBYTECODE") and os.access(os.path.dirname(origin), os.W_OK)
    return there or writes, there


def gpu(path: list[str]) -> str | None:
    """The name of the first GPU that torch sees, or None."""
    sys.path[:] = path
    torch = importlib.import_module("torch")
    return str(torch.cuda.get_device_name(0)) if torch.cuda.is_available() else None


if __name__ == "__main__":
    _path = search_path()
    if sys.argv[1:2] == ["has"]:
        sys.exit(find(sys.argv[2], _path) is None and sys.argv[2] not in sys.builtin_module_names)
    _found = {name: version(name, _path) for name in ("torch", "torchvision")}
    _keeps, _has = bytecode("torch", _path)
    _name = gpu(_path) if "gpu" in sys.argv and _found["torch"] else None
    print(json.dumps({
        **_found, "executable": sys.executable, "python": platform.python_version(),
        "os": platform.system().lower(), "device": f"cuda ({_name})" if _name else "cpu",
        "keeps_bytecode": _keeps, "has_bytecode": _has, "user_base": site.getuserbase(),
    }))
