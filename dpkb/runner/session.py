"""What all runs of one command share: an interpreter, limits, a template, and the request to stop."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dpkb.errors import Stopped, UsageError
from dpkb.model import Environment, Needs
from dpkb.paths import cache_folder
from dpkb.runner import interpreter, torch_envs
from dpkb.runner.confinement import Confinement, strictest_confinement
from dpkb.runner.processes import capture
from dpkb.runner.scratch import remove_abandoned, scratch_folder
from dpkb.runner.template import template
from dpkb.runner.watch import Limits

# Enough of torch that few scripts import more.
_COMPILED = ("torch", "torch.utils.data", "torch.distributed")
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True)
class Session:
    """What all runs of one command share. template: the address of a process that forks for each script."""

    environment: Environment
    env: dict[str, str]
    limits: Limits
    confinement: Confinement
    stop: threading.Event
    template: str | None = None

    def confinement_of(self, needs: Needs) -> Confinement:
        """How a script with these needs is confined."""
        if "cuda" in needs.devices and self.environment.device.startswith("cuda"):
            # Which devices, driver files and caches a GPU needs differs by machine.
            return Confinement(why="it uses a GPU")
        return self.confinement


@contextlib.contextmanager
def stop_on_signals(stop: threading.Event | None = None) -> Iterator[threading.Event]:
    """An event that Ctrl-C and termination signals set while the block runs. Then raises Stopped.

    Ignored signals stay ignored (nohup), and the former handlers are restored. stop: an event that others
    may set too.
    """
    stop = stop or threading.Event()
    former = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for name in _SIGNALS:
                number = getattr(signal, name, None)
                if number and signal.getsignal(number) not in (signal.SIG_IGN, None):
                    former[number] = signal.signal(number, lambda *_: stop.set())
        yield stop
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
    if stop.is_set():
        raise Stopped


@contextlib.contextmanager
def open_session(python: str | None, device: str, timeout: float, forks: bool = False,
                 stop: threading.Event | None = None) -> Iterator[Session]:
    """A session; Ctrl-C, a termination signal and `stop` end every script in it.

    forks: start scripts as forks of a process that has imported torch, where that is possible. Raises
    UsageError, MissingTool without torch, and Stopped.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(f"--device {device}: must be auto, cpu or cuda")
    if sys.platform == "linux" and not os.path.exists("/proc/self/status"):
        raise UsageError("/proc is empty; dpkb can run scripts only if /proc is mounted")
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(stop_on_signals(stop))
        environment = interpreter.probe(python, device, stop)
        interpreter.require_torch(environment)
        remove_abandoned()
        env = dict(os.environ)
        if device == "cpu":
            env["CUDA_VISIBLE_DEVICES"] = ""
        if not environment.keeps_bytecode:
            env = _with_bytecode_cache(env, stack)
        if environment.user_base:  # scripts have a home of their own, and torch may be in the user's
            env.setdefault("PYTHONUSERBASE", environment.user_base)
        forks = forks and environment.device == "cpu"
        if forks:  # many scripts at a time: a thread that waits leaves its core to the others
            env.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        if not forks and not environment.has_bytecode:
            # Scripts cannot write bytecode, and would compile all of torch each time.
            with scratch_folder() as empty:
                capture([environment.executable, "-c", f"import {', '.join(_COMPILED)}"], env, seconds=600,
                        stop=stop, cwd=empty)
        address = stack.enter_context(template(environment.executable, env, stop)) if forks else None
        yield Session(environment, env, Limits(seconds=timeout), strictest_confinement(), stop, address)


def _with_bytecode_cache(env: dict[str, str], stack: contextlib.ExitStack) -> dict[str, str]:
    """The variables with a folder for compiled bytecode, for an interpreter that keeps none."""
    folder = cache_folder() or stack.enter_context(scratch_folder())
    env = {name: value for name, value in env.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**env, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def interpreters(python: str | None, versions: list[str], note: Callable[[str], None]) -> list[str | None]:
    """The interpreters to run with, one for each torch that was asked for. Raises UsageError, MissingTool."""
    if python and versions:
        raise UsageError("--python and --torch both say which torch; give one of them")
    return [torch_python(version, note) for version in versions] or [python]


def torch_python(version: str, note: Callable[[str], None]) -> str:
    """The interpreter of the environment for this torch. Raises UsageError, MissingTool, Stopped."""
    with stop_on_signals() as stop:
        return torch_envs.python_with(version, note, stop)
