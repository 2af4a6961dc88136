"""The audit of one process: its checks, and the objects that they use."""

from __future__ import annotations

import atexit
import contextlib
import sys

from dpkb_audit.budget import LookBudget
from dpkb_audit.checks import all_checks
from dpkb_audit.dispatch import Dispatcher, find_observers
from dpkb_audit.failed_frames import find_failed_frames
from dpkb_audit.journal import Journal
from dpkb_audit.memory import read_private_bytes
from dpkb_audit.module_calls import ModuleCalls
from dpkb_audit.rest import Rest
from dpkb_audit.system import open, os, time
from dpkb_audit.training import Training

MYPY = False
if MYPY:
    from typing import Any


class Audit:
    """The audit of one process."""

    def __init__(self, folder: str, is_watching: bool = True) -> None:
        """is_watching: False if only the place of a failure is to be written."""
        self.journal = Journal(folder)
        self.rank = _number(os.environ.get("RANK"))
        self.world_size = _number(os.environ.get("WORLD_SIZE")) or 1
        # The number of a DataLoader worker; None in other processes.
        self.worker: int | None = None
        # Whether this is a forked child: the audit began in the parent, and the checks have its state.
        self._is_copy = False
        # The optimizer step after which the audit ends, and whether it was reached.
        self._last_step = _number(os.environ.get("DPKB_AUDIT_STEPS"))
        self.steps_reached = False
        # How the process ends, if that is known.
        self.exit_code: int | None = None
        # The indices for which a map-style dataset loads samples at present.
        self.indices: Any = None
        self.budget = LookBudget()
        self.module_calls = ModuleCalls(self)
        self.training = Training(self)
        trace = os.environ.get("DPKB_AUDIT_TRACE")
        self.rest = Rest(self, *([float("inf")] if trace else []))
        self.dispatcher = Dispatcher(self.budget, self.rest, self.report_failure, find_observers())
        # Short names, because they are called everywhere.
        self.emit = self.dispatcher.emit
        self.can_look = self.budget.can_look
        self.dispatcher.add_follower(self)
        self.dispatcher.add_follower(self.training)
        self.dispatcher.add_follower(self.rest)
        if trace and is_watching:
            from dpkb_audit.step_trace import StepTrace

            self.dispatcher.add_follower(StepTrace(self, trace))
        for check in all_checks().values() if is_watching else ():
            self.dispatcher.add_check(check(self))

    def process_fields(self) -> dict[str, Any]:
        """Rank, worker number and id of this process, for findings and facts."""
        return {"rank": self.rank, "worker": self.worker, "pid": os.getpid()}

    def report_failure(self, task: str) -> None:
        """Report the present exception, an error of dpkb, without its message, which may quote data."""
        import traceback

        kind, _, trace = sys.exc_info()
        self.journal.write(
            "failure",
            message=task + " failed",
            traceback="".join(traceback.format_tb(trace, limit=-4)) + getattr(kind, "__name__", ""),
            **self.process_fields(),
        )

    def on_process_group_started(self, rank: int, world_size: int) -> None:
        self.rank, self.world_size = rank, world_size

    def on_state_loaded(self, module: Any, state: Any, result: Any) -> None:
        self.module_calls.follow_loading(module)

    def become_worker(self, worker: int, dataset: Any) -> None:
        """Begin the audit of a DataLoader worker, which the training process has forked or spawned."""
        from multiprocessing import util

        self.worker = worker
        self.dispatcher.restart()
        util.Finalize(None, self.emit, ("worker_ended", dataset), exitpriority=1)
        # A persistent worker is killed when its program ends, and then it writes no end.
        self.journal.write("began", **self.process_fields())

    def note_failure(self, error: BaseException | None) -> None:
        """Write the tensors where an exception was raised."""
        try:
            frames = (
                [vars(frame) for frame in find_failed_frames(error)] if isinstance(error, Exception) else []
            )
            if frames:
                self.journal.write("failed", at=time.time(), frames=frames, **self.process_fields())
        except Exception:
            self.report_failure("reading the tensors of an exception")

    def end_when_steps_reached(self) -> None:
        """End the audit of this process when it has reached the number of steps that the user chose."""
        last = self._last_step
        if last is not None and self.training.step >= last and not self.dispatcher.closed:
            self.steps_reached = True
            self.end()
            self._ask_to_be_ended()

    def _ask_to_be_ended(self) -> None:
        """Write the file that makes dpkb end the program; remove it if this process ends by itself."""
        pid = os.getpid()
        path = os.path.join(self.journal.folder, f"{pid}.steps-reached")

        def remove() -> None:
            if os.getpid() == pid:  # not in a forked child
                with contextlib.suppress(OSError):
                    os.remove(path)

        try:
            open(path, "a").close()
        except OSError:
            return  # the program runs on
        # The last function to be registered is the first to be called. The end of torch may take seconds.
        atexit.register(remove)

    def end(self) -> None:
        """Emit the last event, and write the end. A second call does nothing."""
        if self.dispatcher.closed:
            return
        if not self._is_copy or self._trains():
            self.emit("end")
        self.dispatcher.closed = True
        error = sys.exc_info()[1] or getattr(sys, "last_value", None)
        # mp.spawn ends a rank that raised by sys.exit().
        self.note_failure(error.__context__ if isinstance(error, SystemExit) else error)
        self.training.write()
        if self.dispatcher.missed_steps:
            area = f"{self.dispatcher.missed_steps} optimizer steps inside of a mode, a tracer or a transform"
            self.journal.write("left_out", area=area)
        if self.worker is not None and self.budget.is_cheap() and not self.budget.is_repeat:
            self.journal.write("worker", private_bytes=read_private_bytes(), **self.process_fields())
        looked = self.budget.other_seconds + self.budget.samples_seconds
        self.journal.write(
            "end", looked=round(looked, 4), seconds=round(self.budget.seconds(), 4), **self.process_fields()
        )

    def _trains(self) -> bool:
        """Whether a forked child trains by itself.

        In a worker or a pool, the checks only have the state of the parent's unfinished epoch.
        """
        return bool(self.training.counts.get("backward passes")) or (
            self.worker is None and self.world_size > 1
        )

    def follow_process(self) -> None:
        """End the audit with this process, and begin again in a forked child.

        Children of multiprocessing end without the functions of atexit, but call those of its own.
        """
        from multiprocessing import process, util

        atexit.register(self.end)
        util.register_after_fork(self, Audit._follow_child)
        # A child that has just imported torch. While a spawned one reads its work, it knows no parent yet.
        is_spawned = getattr(process.current_process(), "_inheriting", False)
        if is_spawned or process.parent_process() is not None:
            self._follow_child()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.restart)

    def _follow_child(self) -> None:
        from multiprocessing import util

        util.Finalize(None, self._end_child, exitpriority=0)

    def _end_child(self) -> None:
        error = sys.exc_info()[1]
        code = error.code if isinstance(error, SystemExit) else 1
        self.exit_code = (code if isinstance(code, int) else int(code is not None)) if error else 0
        self.end()

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self._is_copy = True
        self.dispatcher.restart()
        self.budget.restart()
        self.rest.restart()
        self.module_calls.forget_unfinished()
        self.training.restart()
        self.exit_code, self.steps_reached = None, False


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None
