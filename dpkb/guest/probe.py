"""Prints as JSON the versions of an interpreter and its packages, its device and bytecode.

Runs under any Python from 3.8 on; imports only the standard library. dpkb starts it with `python -I`, so
that Python imports no file of the current folder:

    probe.py          prints the JSON
    probe.py gpu      imports torch, to name the GPU too
    probe.py has NAME exits with 0 if the package is installed, otherwise with 1

It finds packages where the interpreter would find them without -I, and imports none except torch for `gpu`.
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
    """The folders in which the interpreter would look for packages without -I, in their order.

    These include PYTHONPATH and the user's site-packages, but no relative folder. The standard library is
    always first, so that nothing replaces its modules.
    """
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    if sees_user_site():
        named.append(site.getusersitepackages())
    standard = [entry for entry in sys.path if not entry.endswith(("site-packages", "dist-packages"))]
    return standard + named + [entry for entry in sys.path if entry not in standard]


def sees_user_site() -> bool:
    """Whether the interpreter uses the user's site-packages. Most virtual environments do not."""
    if os.environ.get("PYTHONNOUSERSITE"):
        return False
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg")) as file:
            return re.search(r"include-system-site-packages\s*=\s*true", file.read()) is not None
    except OSError:
        return True


def find_file(name: str, path: list[str]) -> str | None:
    """The file that `import name` would load first, or None."""
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    return spec.origin if spec else None


def list_packages(path: list[str]) -> dict[str, str]:
    """The version of each installed distribution, from the name of the folder with its metadata."""
    found: dict[str, str] = {}
    for folder in filter(os.path.isdir, path):
        for entry in sorted(os.listdir(folder)):
            match = re.match(r"(\w.*?)-(\d.*?)(-py[\d.]+)?\.(dist|egg)-info", entry)
            if match:
                found.setdefault(re.sub(r"[-_.]+", "-", match.group(1)).lower(), match.group(2))
    return found


def find_version(name: str, path: list[str]) -> str | None:
    """The version of an installed package, or None."""
    try:
        from importlib.metadata import distributions

        versions = [distribution.version for distribution in distributions(name=name, path=path)]
        if versions and versions[0]:
            return versions[0]
    except Exception:  # broken metadata
        pass
    origin = find_file(name, path)
    try:
        with open(os.path.join(os.path.dirname(origin or ""), "version.py")) as file:
            match = re.search("__version__ = '(.+)'", file.read())
            return match and match.group(1)
    except OSError:
        return None


def find_bytecode(name: str, path: list[str]) -> tuple[bool, bool]:
    """Whether the bytecode of a package can be stored, and whether it exists already."""
    origin = find_file(name, path)
    if origin is None:
        return True, True
    sys.pycache_prefix = os.environ.get("PYTHONPYCACHEPREFIX")
    there = os.path.exists(importlib.util.cache_from_source(origin))
    writes = not os.environ.get("PYTHONDONTWRITEBYTECODE") and os.access(os.path.dirname(origin), os.W_OK)
    return there or writes, there


def find_gpu(path: list[str]) -> str | None:
    """Import torch: the name of the first GPU that it sees, or None."""
    sys.path[:] = path
    torch = importlib.import_module("torch")
    return str(torch.cuda.get_device_name(0)) if torch.cuda.is_available() else None


if __name__ == "__main__":
    _path = search_path()
    if sys.argv[1:2] == ["has"]:
        sys.exit(find_file(sys.argv[2], _path) is None and sys.argv[2] not in sys.builtin_module_names)
    _installed = list_packages(_path)
    _found = {name: find_version(name, _path) for name in ("torch", "torchvision")}
    _keeps, _has = find_bytecode("torch", _path)
    _name = find_gpu(_path) if "gpu" in sys.argv and _found["torch"] else None
    print(
        json.dumps(
            {
                **_found,
                "installed": _installed,
                "executable": sys.executable,
                "python": platform.python_version(),
                "os": platform.system().lower(),
                "device": f"cuda ({_name})" if _name else "cpu",
                "keeps_bytecode": _keeps,
                "has_bytecode": _has,
                "user_base": site.getuserbase(),
            }
        )
    )
