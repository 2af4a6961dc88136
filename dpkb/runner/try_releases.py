"""Installs releases in a temporary environment, and imports names of theirs there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence

from dpkb.errors import UnmetNeed, UsageError
from dpkb.runner.processes import run_helper
from dpkb.runner.scratch import scratch_folder
from dpkb.runner.stop_signals import stop_on_signals
from dpkb.runner.torch_envs import find_installed_python, find_reason

# Run by the new environment: the reason why each name of the first argument cannot be imported.
_IMPORT = """
import importlib, json, sys
def load(name):
    module, rest = name, []
    while True:
        try:
            value = importlib.import_module(module)
            break
        except ModuleNotFoundError as error:
            if error.name is None or not (module + ".").startswith(error.name + ".") or "." not in module:
                raise
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
    for part in rest:
        value = getattr(value, part)
missing = {}
for name in json.loads(sys.argv[1]):
    try:
        load(name)
    except Exception as error:
        missing[name] = f"{type(error).__name__}: {error}"[:300]
print("RESULT" + json.dumps(missing))
"""


def try_releases(
    requirements: Sequence[str], python: str | None, names: Sequence[str], note: Callable[[str], None]
) -> dict[str, str]:
    """The names that cannot be imported with these releases, and why. Raises UnmetNeed and UsageError."""
    uv = shutil.which("uv")
    if uv is None:
        raise UnmetNeed("--try needs uv to install the releases: pip install uv")
    with stop_on_signals() as stop, scratch_folder() as folder:
        base = (find_installed_python(python) or python) if python else None
        environment = folder / "environment"
        interpreter = environment / "bin" / "python"
        note(f"installing {', '.join(requirements)}; the first time, uv downloads them")
        for command in (
            ["venv", "--quiet", *(["--python", base] if base else []), str(environment)],
            # Releases before 2024 import pkg_resources, which a newer setuptools does not have.
            ["pip", "install", "--quiet", "--python", str(interpreter), "setuptools<81", *requirements],
        ):
            code, text = run_helper([uv, *command], seconds=3600, errors=True, stop=stop)
            if code:
                raise UsageError(f"these releases cannot be installed together: {find_reason(text)}")
        code, text = run_helper(
            [str(interpreter), "-I", "-c", _IMPORT, json.dumps(list(names))], seconds=900, stop=stop
        )
        answers = [line for line in text.splitlines() if line.startswith("RESULT")]
        if not answers:
            raise UsageError(f"the import of the names ended with exit code {code}")
        missing: dict[str, str] = json.loads(answers[-1].removeprefix("RESULT"))
        return missing
