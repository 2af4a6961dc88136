"""Which Python runs the scripts, and which torch, torchvision and device it has."""

from __future__ import annotations

import json
import os
import shutil
import sys
from functools import lru_cache
from pathlib import Path

from dpkb.entry import Environment
from dpkb.errors import MissingTool, UsageError
from dpkb.process import capture

# Versions come from the installed metadata: importing torch for them would cost seconds.
_PROBE = """
import json, os, platform, sys
def version(name):
    try:
        from importlib.metadata import version as installed
        return installed(name)
    except Exception:
        try:
            return str(__import__(name).__version__)
        except Exception:
            return None
found = {n: version(n) for n in ("torch", "torchvision")}
def bytecode(name):
    try:
        from importlib.util import cache_from_source, find_spec
        origin = find_spec(name).origin
        there = os.path.exists(cache_from_source(origin))
        return there or (os.access(os.path.dirname(origin), os.W_OK) and not sys.dont_write_bytecode), there
    except Exception:
        return True, True
found["keeps_bytecode"], found["has_bytecode"] = bytecode("torch")
try:
    import site
    found["user_base"] = site.getuserbase()
except Exception:
    found["user_base"] = None
found["executable"] = sys.executable
found["python"] = platform.python_version()
found["os"] = platform.system().lower()
found["device"] = "cpu"
if found["torch"] and sys.argv[1] == "gpu":
    import torch
    if torch.cuda.is_available():
        found["device"] = "cuda (" + torch.cuda.get_device_name(0) + ")"
print(json.dumps(found))
"""


def probe(python: str | None, device: str = "auto") -> Environment:
    """What `python` (default: the one that runs dpkb) has. device: auto, cpu or cuda.

    Raises UsageError where it is no Python, or where device is cuda and it sees no GPU.
    """
    executable = interpreter(python)
    code, text = capture([executable, "-c", _PROBE, "gpu" if _may_have_gpu(device) else "cpu"])
    try:
        found = json.loads(text.strip().splitlines()[-1]) if code == 0 else None
    except (ValueError, IndexError):
        found = None
    if found is None:
        raise UsageError(f"{executable} does not answer as a Python interpreter does (exit code {code})")
    if device == "cuda" and not found["device"].startswith("cuda"):
        raise UsageError(
            f"--device cuda: torch {found['torch']} of {executable} sees no GPU; "
            "use --device cpu, or auto"
        )
    if Path(executable).parent.name == "shims":
        # pyenv's and its like find the real one by the home folder, and scripts have one of their own.
        executable = found["executable"]
    return Environment(executable, found["python"], found["torch"], found["torchvision"],
                       found["os"], found["device"], found["keeps_bytecode"], found["has_bytecode"],
                       found["user_base"])


def versions_here() -> dict[str, str | None]:
    """The versions beside this Python, else beside the first on the PATH that has torch."""
    found = probe(None, "cpu")
    other = None if found.torch else _other_with_torch(found.executable)
    return probe(other, "cpu").versions if other else found.versions


@lru_cache(maxsize=64)
def has_package(executable: str, name: str) -> bool:
    """Whether an interpreter can import a package."""
    return capture([executable, "-c", f"import {name}"])[0] == 0


def interpreter(python: str | None) -> str:
    """The path of the interpreter that was asked for. Raises UsageError where there is none."""
    if python is None:
        return sys.executable
    found = shutil.which(os.path.expanduser(python))
    if found is None:
        raise UsageError(f"--python {python}: no such interpreter")
    # Not resolved: a virtual environment's python is a link, and following it would leave it.
    return os.path.abspath(found)


def require_torch(environment: Environment) -> None:
    """Raise MissingTool, saying what to install or which other interpreter to use."""
    if environment.torch is not None:
        return
    lines = [
        f"torch is not installed for {environment.executable}, and the scripts need it. Either",
        f"  {environment.executable} -m pip install torch torchvision",
        "or name an interpreter that has it (dpkb need not be installed there):",
        f"  --python {_other_with_torch(environment.executable) or 'PATH'}",
    ]
    raise MissingTool("\n".join(lines))


def _other_with_torch(executable: str) -> str | None:
    candidates = [
        *(str(Path(os.environ[name], "bin", "python")) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")
          if os.environ.get(name)),
        *(shutil.which(name) for name in ("python", "python3")),
    ]
    check = "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"
    for candidate in candidates:
        if candidate and candidate != executable and capture([candidate, "-c", check])[0] == 0:
            return candidate
    return None


def _may_have_gpu(device: str) -> bool:
    if device == "cpu":
        return False
    return device == "cuda" or Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi") is not None
