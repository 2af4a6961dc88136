"""What a run needs before it starts: an interpreter, limits, the scripts, and the right to run them."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from dpkb import environment, process, reproduce, torches, trust, usage, warm
from dpkb.catalogue import Catalogue, ready_to_run
from dpkb.entry import Entry, Script
from dpkb.errors import MissingTool, UsageError
from dpkb.paths import REPRODUCERS_FOLDER, cache_folder

# Enough of torch that hardly a script imports more.
_COMPILED = ("torch", "torch.utils.data", "torch.distributed")


@contextlib.contextmanager
def opened(python: str | None, device: str, timeout: float,
           forks: bool = False) -> Iterator[reproduce.Session]:
    """A session; Ctrl-C and a termination signal stop every script of it. Raises UsageError.

    forks: start scripts as forks of a process that has imported torch, where that is possible.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(f"--device {device}: must be auto, cpu or cuda")
    found = environment.probe(python, device)
    environment.require_torch(found)
    with contextlib.ExitStack() as stack:
        env = reproduce.child_env(device)
        if not found.keeps_bytecode:
            env = stack.enter_context(process.bytecode_cache(env, cache_folder()))
        if found.user_base:  # the scripts have a home of their own, and torch may lie in the user's
            env.setdefault("PYTHONUSERBASE", found.user_base)
        forks = forks and found.device == "cpu"
        if not forks and not found.has_bytecode:
            # Scripts cannot write it, and would compile all of torch each time.
            process.capture([found.executable, "-c", f"import {', '.join(_COMPILED)}"], env, seconds=600)
        session = reproduce.Session(found, env, usage.Limits(seconds=timeout), process.confinement())
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: session.stop.set())
        if forks:
            session.template = stack.enter_context(warm.template(found.executable, env, session.stop))
        yield session


def interpreters(python: str | None, versions: list[str], say: Callable[[str], None]) -> list[str | None]:
    """The interpreters to run with, one for each torch that was asked for. Raises UsageError."""
    if python and versions:
        raise UsageError("--python and --torch both say which torch; give one of them")
    return [torches.python_with(version, say) for version in versions] or [python]


def part(text: str | None) -> tuple[int, int]:
    """Which shard of how many: "1/4" -> (1, 4). Raises UsageError."""
    if text is None:
        return 1, 1
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise UsageError(f"--shard {text}: write it as 1/4, from 1/4 to 4/4")
    return int(index), int(count)


def scripts_to_run(catalogue: Catalogue, ids: list[str], folders: list[Path],
                   trusted: bool) -> tuple[list[Script], list[Script]]:
    """The scripts to run, and those of added catalogues that nobody said yes to."""
    chosen: dict[str, Entry] = {e.id: e for e in (map(catalogue.entry, ids) if ids else catalogue)}
    scripts = [ready_to_run(s) for e in chosen.values() if not e.withdrawn for s in e.scripts]
    allowed = {folder: _is_allowed(folder, folders, trusted) for folder in folders}
    run, held = [], []
    for script in scripts:
        (run if allowed[_owner(script, folders)] else held).append(script)
    return run, held


def require_trust(script: Script, folders: list[Path], trusted: bool, ask: Callable[[str], bool]) -> None:
    """Raise MissingTool unless the script is dpkb's own, or a yes is given or recorded."""
    folder = _owner(script, folders)
    if _is_allowed(folder, folders, trusted):
        return
    if ask(f"{folder} is an added catalogue. Run its scripts (somebody's code) on this machine?"):
        trust.record(folder)
        return
    raise MissingTool(
        f"{folder} is an added catalogue, and its scripts are somebody's code: "
        "read them, then say --trust"
    )


def _owner(script: Script, folders: list[Path]) -> Path:
    return next(folder for folder in folders if script.path.is_relative_to(folder / REPRODUCERS_FOLDER))


def _is_allowed(folder: Path, folders: list[Path], trusted: bool) -> bool:
    return trusted or folder == folders[0] or trust.is_trusted(folder)
