"""Follows what a process does: its loaders, steps, models and ranks. Hands each event to the checks."""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
import weakref

from dpkb_audit.checks import all_checks
from dpkb_audit.contents import private_bytes
from dpkb_audit.digest import is_readable
from dpkb_audit.events import EVENTS
from dpkb_audit.journal import Journal
from dpkb_audit.records import LoaderRecord, ModelRecord, batches_of

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.check import Check

# Modules and losses are looked at in so many batches or steps after the start and after each new epoch.
_WINDOW = 8
# What looking may cost: so many seconds, and this share of the time that has passed. Samples, of which there
# are many, have an account of their own.
_SECONDS, _SHARE = 0.1, 0.015
# More than an event costs whose checks did not ask whether they can look: the rest was work of other
# processes.
_MOST = 0.0005
# As long as looking has cost no more than so many seconds, it goes on: a tiny training is seen as a whole.
_ALWAYS = 0.03
# What a module hook costs beside the time that is measured in it.
_HOOK_SECONDS = 2e-6
_COUNTS_EVERY = 1.0
_CPU_TIMES_EVERY = 8


class Session:
    """The audit of one process."""

    def __init__(self, folder: str) -> None:
        self.journal = Journal(folder)
        self.main_thread = threading.get_ident()
        self.began = time.perf_counter()
        self.rank = _number(os.environ.get("RANK"))
        self.world_size = _number(os.environ.get("WORLD_SIZE")) or 1
        # In a DataLoader worker its number, otherwise None.
        self.worker: int | None = None
        # Optimizer steps of this process; steps that end the audit.
        self.step = 0
        self.last_step = _number(os.environ.get("DPKB_AUDIT_STEPS"))
        # How the process ends: an exit code, if it is known; whether --steps has ended the audit before.
        self.exit_code: int | None = None
        self.enough = False
        self.loaders: list[LoaderRecord] = []
        # All that exist. An optimizer from before the audit is among them from its first step on.
        self.optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        # The loader that delivered the last batch.
        self.loader: LoaderRecord | None = None
        # The outermost modules by id, and those that were called since the last backward pass.
        self.models: dict[int, ModelRecord] = {}
        self._called: set[int] = set()
        self.in_backward = False
        # The loss of the present backward pass, if it is one number on the CPU; the first ones that were
        # finite, and the last.
        self.loss: float | None = None
        self.first_losses: list[float] = []
        self.last_losses: list[float] = []
        # Room for what several checks need: name -> value.
        self.notes: dict[str, Any] = {}
        # What a map-style dataset is asked for now.
        self.indices: Any = None
        self.counts: dict[str, int] = {}
        # Whether modules are looked at now; what that has cost so far, in seconds.
        self.looking, self.looked, self.looked_at_samples = False, 0.0, 0.0
        # In an event: whether it is about samples; the CPU time when a check asked first whether it can look.
        self._at_samples = False
        self._looks_since: float | None = None
        # The same by the clock on the wall, so that it is not taken for a wait for data.
        self.spent = 0.0
        self.on_looking: Callable[[bool], None] = lambda _: None
        # Batches or steps until looking ends; whether a batch came since the last step.
        self._window, self._fed = _WINDOW, False
        self._calls: list[int] = []
        # The loaders that gave batches since the last backward pass.
        self._feeding: list[LoaderRecord] = []
        self._busy = False
        self._handlers: dict[str, list[tuple[Check, Callable[..., None]]]] = {}
        self._counted_at = self.began
        self._ended = False
        self.checks = [check(self) for check in all_checks().values()]
        for check in self.checks:
            for event in EVENTS:
                handler = getattr(check, "on_" + event, None)
                if handler:
                    self._handlers.setdefault(event, []).append((check, handler))

    # -- what checks may ask ------------------------------------------------------------------------

    def place(self) -> dict[str, Any]:
        """Which process this is, for findings and facts."""
        return {"rank": self.rank, "worker": self.worker, "pid": os.getpid()}

    def can_look(self) -> bool:
        """Whether a costly look (hashing samples, comparing parameters) is still cheap beside the run."""
        # Costly looks are counted by the time that they compute: on a machine with other work they take
        # longer. That clock is slower to read.
        if self._looks_since is None:
            self._looks_since = time.thread_time()
        return self._is_cheap()

    def _is_cheap(self) -> bool:
        looked = self.looked_at_samples if self._at_samples else self.looked
        return looked < _SECONDS + _SHARE * (time.perf_counter() - self.began)

    def watched(self, event: str) -> bool:
        """Whether any check watches this event."""
        return bool(self._handlers.get(event))

    # -- events -------------------------------------------------------------------------------------

    def emit(self, event: str, *arguments: Any) -> None:
        """Hand an event to the session and to the checks. What a check itself causes is no event."""
        if self._busy or self._ended or threading.get_ident() != self.main_thread:
            return
        self._busy, self._looks_since, self._at_samples = True, None, event == "samples"
        began = time.perf_counter()
        try:
            follow = getattr(self, "_follow_" + event, None)
            if follow:
                try:
                    follow(*arguments)
                except Exception:
                    setattr(self, "_follow_" + event, None)
                    self._write_failure("following " + event)
            for check, handler in tuple(self._handlers.get(event, ())):
                try:
                    handler(*arguments)
                except Exception:
                    self._disable(check)
        finally:
            spent = time.perf_counter() - began
            self.spent += spent
            cost = min(spent, _MOST) if self._looks_since is None else time.thread_time() - self._looks_since
            if self._at_samples:
                self.looked_at_samples += cost
            else:
                self.looked += cost
            self._busy = self._at_samples = False

    def _disable(self, check: Check) -> None:
        for handlers in self._handlers.values():
            handlers[:] = [pair for pair in handlers if pair[0] is not check]
        self._write_failure("the check of " + check.id)

    def _write_failure(self, what: str) -> None:
        import traceback

        self.journal.write("failure", what=what + " ended", why=traceback.format_exc(limit=-4),
                           **self.place())

    def count(self, name: str) -> None:
        """Count something; the journal gets the numbers once a second, and at the end."""
        self.counts[name] = self.counts.get(name, 0) + 1
        now = time.perf_counter()
        if now - self._counted_at > _COUNTS_EVERY:
            self._write_counts()

    def _write_counts(self) -> None:
        self._counted_at = time.perf_counter()
        self.journal.write("counts", counts=self.counts, **self.place())
        for record in self.loaders:
            record.write(self.journal, self.rank)

    def _follow_loader_created(self, record: LoaderRecord) -> None:
        self.loaders.append(record)
        del self.loaders[:-200]

    def _follow_epoch_started(self, record: LoaderRecord) -> None:
        record.epochs += 1
        record.batch = 0
        record.delivered_at = 0.0
        record.waits, record.works, record.cpu_times = [], [], []
        record.length = batches_of(record.loader)
        if record.epochs <= 5:
            self._window = _WINDOW
            self._look()

    def _follow_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        now = time.perf_counter()
        if record.delivered_at and len(record.works) < 5000:
            record.works.append(max(now - waited - record.delivered_at, 0.0))
        if len(record.waits) < 5000:
            record.waits.append(waited)
        record.delivered_at = now
        record.batch += 1
        record.batches += 1
        if record.batch % _CPU_TIMES_EVERY == 1:
            record.read_cpu_times()
        self.loader = record
        if len(self._feeding) < 1000:
            self._feeding.append(record)
        if record.batch == 1 and record.epochs <= 3 and self.can_look():
            record.measure(batch)
        if record.batch == record.length and record.epochs <= 5:
            self._window = max(self._window, 2)  # the last batch may be smaller
        self._calls.clear()
        self.count("batches")
        self._fed = True
        self._window -= 1
        self._look()

    def _follow_epoch_ended(self, record: LoaderRecord) -> None:
        self._feeding = [other for other in self._feeding if other is not record]
        self.count("epochs")
        record.write(self.journal, self.rank)

    def _follow_optimizer_created(self, optimizer: Any) -> None:
        self.optimizers.add(optimizer)

    def _follow_backward_started(self, tensors: Any) -> None:
        self._calls.clear()
        loss: Any = tensors[0] if tensors else None
        known = loss is not None and loss.numel() == 1 and is_readable(loss)
        self.loss = float(loss.detach()) if known else None
        if self.loss is not None and math.isfinite(self.loss):
            if len(self.first_losses) < 5:
                self.first_losses.append(self.loss)
            self.last_losses = [*self.last_losses[-9:], self.loss]
        self.in_backward = True
        for number in self._called:
            if number in self.models:
                self.models[number].trained += 1
        self._called.clear()
        if self.loader:
            self.loader.trained = True
        # Several loaders may give a batch each for one step.
        for record in self._feeding[-4:]:
            record.trained = record.trained or self._feeding.count(record) == 1
        self._feeding = []
        self.count("backward passes")

    def _follow_backward_ended(self, tensors: Any) -> None:
        self.in_backward = False

    def _follow_step_ended(self, optimizer: Any) -> None:
        self._calls.clear()
        self.step += 1
        self.count("optimizer steps")
        if self.step >= 32 and self.step & (self.step - 1) == 0:
            self._window = 2
        elif not self._fed:
            self._window -= 1
        self._fed = False
        self._look()

    def _follow_forward_started(self, module: Any, inputs: Any) -> None:
        if next(module.parameters(), None) is None:  # a loss, a transform
            return
        record = self.models.get(id(module))
        if record is None or record.module is not module:
            if len(self.models) > 100:
                self.models = {number: model for number, model in self.models.items() if model.module}
            record = self.models[id(module)] = ModelRecord(module)
        record.calls += 1
        if _gradients_on():
            self._called.add(id(module))

    def _follow_process_group_started(self, rank: int, world_size: int) -> None:
        self.rank, self.world_size = rank, world_size

    def _look(self) -> None:
        """Begin or stop looking at modules, by the window and by what it has cost."""
        wanted = (self._window > 0 or self.looked < _ALWAYS) and self._is_cheap()
        if wanted != self.looking:
            self.looking = wanted
            self.on_looking(wanted)

    # -- modules, called by the hooks of attachment.py ---------------------------------------------------

    def module_started(self, module: Any, inputs: Any) -> None:
        """Before the call of a module."""
        if self.in_backward or self._busy or threading.get_ident() != self.main_thread:
            return
        self.looked += _HOOK_SECONDS
        if not self._calls:
            self.count("forward passes")
            if self.loader and not _gradients_on():
                self.loader.evaluated = True
            self.emit("forward_started", module, inputs)
        self._calls.append(id(module))
        if "module_started" in self._handlers:
            self.emit("module_started", module, inputs)

    def module_ended(self, module: Any, inputs: Any, output: Any) -> None:
        """After the call of a module."""
        if self.in_backward or self._busy or threading.get_ident() != self.main_thread:
            return
        self.looked += _HOOK_SECONDS
        # A module that raised has not taken itself off.
        while self._calls and self._calls.pop() != id(module):
            pass
        if "module_ended" in self._handlers:
            self.emit("module_ended", module, inputs, output)
        if not self._calls:
            self.emit("forward_ended", module, inputs, output)

    # -- the end ------------------------------------------------------------------------------------

    def become_worker(self, worker: int) -> None:
        """This process is a DataLoader worker, which was forked or spawned from the one that trains."""
        self.worker = worker
        self.main_thread = threading.get_ident()
        self._busy = self._ended = False
        # A worker that persists is killed when its program ends, and writes no end.
        self.journal.write("began", **self.place())

    def end_if_enough(self) -> None:
        """End the audit of this process when it has reached the steps that were asked for."""
        if self.last_step is not None and self.step >= self.last_step and not self._ended:
            self.enough = True
            self.end()
            self.journal.write("enough", **self.place())
            open(os.path.join(self.journal.folder, "enough"), "a").close()

    def end(self) -> None:
        """The last event. Called once; a forked child has an end of its own."""
        if self._ended:
            return
        self.emit("end")
        self._ended = True
        self._write_counts()
        if self.worker is not None and self.can_look():
            self.journal.write("worker", private_bytes=private_bytes(), **self.place())
        self.journal.write("end", looked=round(self.looked + self.looked_at_samples, 4),
                           seconds=round(time.perf_counter() - self.began, 4), **self.place())

    def _after_fork(self) -> None:
        self.main_thread = threading.get_ident()
        self._busy = self._ended = False
        self._calls.clear()
        self.began, self.looked, self.looked_at_samples = time.perf_counter(), 0.0, 0.0
        self.counts = {}
        self.step, self.loaders, self.loader = 0, [], None
        self.exit_code, self.enough = None, False


def begin(folder: str) -> Session:
    """The session of this process, which ends with it."""
    session = Session(folder)
    atexit.register(session.end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=session._after_fork)
    return session


def _gradients_on() -> bool:
    import torch

    return torch.is_grad_enabled()


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None
