"""What all runs of one command share: an interpreter, limits, a fork server, and an event that ends them."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from dpkb.errors import UsageError
from dpkb.model import Needs
from dpkb.paths import find_cache_folder
from dpkb.run_records import Environment
from dpkb.runner import interpreter
from dpkb.runner.confinement import Confinement, find_confinement
from dpkb.runner.fork_server import run_fork_server
from dpkb.runner.limits import Limits
from dpkb.runner.processes import run_helper
from dpkb.runner.scratch import remove_abandoned, scratch_folder
from dpkb.runner.stop_signals import stop_on_signals

# Enough of torch that few scripts import more.
_MODULES_TO_COMPILE = ("torch", "torch.utils.data", "torch.distributed")


@dataclass(frozen=True)
class Session:
    """What all runs of one command share. fork_server: None if each script has a new interpreter."""

    environment: Environment
    env: dict[str, str]
    limits: Limits
    confinement: Confinement
    stop: threading.Event
    fork_server: socket.socket | None = None

    def uses_gpu(self, needs: Needs) -> bool:
        """Whether a script with these needs uses a GPU in this session."""
        return "cuda" in needs.devices and self.environment.device.startswith("cuda")

    def env_of(self, needs: Needs) -> dict[str, str]:
        """The variables of a script with these needs.

        If it is for the CPU, it sees no GPU: some functions of torch, such as DataParallel, use a GPU as soon
        as there is one.
        """
        return self.env if self.uses_gpu(needs) else _hide_gpu(self.env)

    def fork_server_for(self, needs: Needs) -> socket.socket | None:
        """The fork server, if it can start a script with these needs.

        A fork cannot use CUDA if its parent has, and importing a package may start CUDA.
        """
        return None if needs.own_interpreter or self.uses_gpu(needs) else self.fork_server

    def confinement_of(self, needs: Needs) -> Confinement:
        """How a script with these needs is confined."""
        if self.uses_gpu(needs):
            # Which devices, driver files and caches a GPU needs differs by machine.
            return Confinement(why="it uses a GPU")
        return self.confinement


@contextlib.contextmanager
def open_session(
    python: str | None,
    device: str,
    timeout: float,
    forks: bool = False,
    stop: threading.Event | None = None,
    pinned: Collection[str] = (),
) -> Iterator[Session]:
    """Open a session. Ctrl-C, a termination signal and `stop` end every script in it.

    forks: if possible, start scripts as forks of a process that has imported torch. pinned: see probe().
    Raises UsageError, UnusableTorch without torch, and Stopped.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(f"--device {device}: must be auto, cpu or cuda")
    if sys.platform == "linux" and not os.path.exists("/proc/self/status"):
        raise UsageError("/proc is empty; dpkb can run scripts only if /proc is mounted")
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(stop_on_signals(stop))
        environment = interpreter.probe(python, device, stop, pinned)
        interpreter.require_torch(environment)
        remove_abandoned()
        env = _choose_variables(environment, device, stack)
        fork_server = None
        if forks:
            # Many scripts run at once: with PASSIVE, a waiting thread uses no core.
            env.setdefault("OMP_WAIT_POLICY", "PASSIVE")
            fork_server = stack.enter_context(run_fork_server(environment.executable, _hide_gpu(env), stop))
        if not (fork_server or environment.has_bytecode):
            _compile_torch(environment.executable, env, stop)
        yield Session(environment, env, Limits(seconds=timeout), find_confinement(), stop, fork_server)


def _choose_variables(environment: Environment, device: str, stack: contextlib.ExitStack) -> dict[str, str]:
    """The variables of all scripts in an environment."""
    env = dict(os.environ)
    if device == "cpu":
        env = _hide_gpu(env)
    if not environment.keeps_bytecode:
        env = _add_bytecode_cache(env, stack)
    if environment.user_base:  # each script has its own home folder, and torch may be in the user's
        env.setdefault("PYTHONUSERBASE", environment.user_base)
    return env


def _hide_gpu(env: dict[str, str]) -> dict[str, str]:
    return {**env, "CUDA_VISIBLE_DEVICES": ""}


def _compile_torch(executable: str, env: dict[str, str], stop: threading.Event) -> None:
    """Import torch once, so that its bytecode is written. Scripts cannot write bytecode themselves."""
    with scratch_folder() as empty:
        code = f"import {', '.join(_MODULES_TO_COMPILE)}"
        run_helper([executable, "-c", code], env, seconds=600, stop=stop, cwd=empty)


def _add_bytecode_cache(env: dict[str, str], stack: contextlib.ExitStack) -> dict[str, str]:
    """The variables with a folder for bytecode, for an interpreter that cannot write it beside torch."""
    folder = find_cache_folder() or stack.enter_context(scratch_folder())
    env = {name: value for name, value in env.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**env, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
