"""Follows what a process does: its loaders, steps, models and ranks. Hands each event to the checks."""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
import weakref

from dpkb_audit.checks import all_checks
from dpkb_audit.contents import private_bytes, tensors_in
from dpkb_audit.digest import is_readable
from dpkb_audit.journal import Journal
from dpkb_audit.where import user_line

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.check import Check

# Event -> what its handlers get. watch_*.py raise them; a check watches one by a method on_<event>.
EVENTS = {
    "loader_created": "record: a LoaderRecord",
    "epoch_started": "record; iter(loader) was called",
    "batch": "record, batch, seconds that the program waited for it",
    "epoch_ended": "record; the loader had no more batches",
    "batch_late": "record, workers (processes), number of the one that owes the batch, seconds waited for it",
    "worker_started": "dataset; in a worker, after worker_init_fn and before the epoch's first sample",
    "samples": "dataset, samples (a list), batch: collate_fn was called, in a worker or in the main process. "
               "session.indices has what was asked for. With batch_size=None there is one sample",
    "indices": "record, indices: what the sampler gave for a batch, or for a sample with batch_size=None",
    "fetch_failed": "dataset, indices, error: a map-style dataset raised an IndexError or KeyError",
    "stream_ended": "dataset, samples, dropped: an IterableDataset ended, and drop_last dropped its rest",
    "worker_ended": "dataset",
    "optimizer_created": "optimizer",
    "step_started": "optimizer",
    "step_ended": "optimizer",
    "scheduler_stepped": "scheduler, epoch: before step() of a learning rate scheduler runs, but for the "
                         "step with which it is created. epoch: what was passed, usually None",
    "gradients_zeroed": "owner: an optimizer or a module",
    "gradients_clipped": "parameters: clip_grad_norm_ or clip_grad_value_ was called",
    "backward_started": "tensors: a tuple",
    "backward_ended": "tensors",
    "gradients_taken": "outputs: torch.autograd.grad is called",
    "forward_started": "module, inputs: an outermost call. Only while session.looking, as the next three",
    "forward_ended": "module, inputs, output",
    "module_started": "module, inputs: each call of a module, the outermost included",
    "module_ended": "module, inputs, output",
    "hook_registered": "module: a forward hook or pre-hook was registered",
    "hooks_passed_by": "module: forward() of a module with hooks was called, but not the module",
    "checkpoint_started": "function, inputs: the reentrant checkpoint() calls function(*inputs)",
    "dropout": "p, training: torch.nn.functional.dropout is called",
    "loss": "name ('cross_entropy'), arguments (a dict by parameter name), result",
    "ddp_created": "ddp",
    "ddp_forward": "ddp",
    "ddp_forward_ended": "ddp",
    "process_group_started": "rank, world_size",
    "collective": "name ('all_reduce')",
    "collective_started": "name, group: as collective, also when a process group is destroyed",
    "collective_ended": "name, group",
    "join_created": "a context in which ranks may take different numbers of steps was made",
    "saved": "obj, target: torch.save",
    "loaded": "obj, source: torch.load",
    "state_loading": "owner (module or optimizer), state",
    "state_loaded": "owner, state, result",
    "state_failed": "owner, state, error: load_state_dict raised",
    "parameters_listed": "module: module.parameters() was called, as for an optimizer",
    "scaler_called": "name ('step'), scaler, arguments: before a method of a GradScaler",
    "scaler_failed": "name, scaler, error",
    "sampler_started": "sampler: iter(DistributedSampler)",
    "end": "the process ends, or has reached --steps",
}
# Modules and losses are looked at in so many batches or steps after the start and after each new epoch.
_WINDOW = 8
# What looking may cost: so many seconds, and this share of the time that has passed.
_SECONDS, _SHARE = 0.1, 0.015
# As long as looking has cost no more than so many seconds, it goes on: a tiny training is seen as a whole.
_ALWAYS = 0.03
# What a module hook costs beside the time that is measured in it.
_HOOK_SECONDS = 2e-6
_COUNTS_EVERY = 1.0


class LoaderRecord:
    """What is known of one DataLoader. The loader itself is not kept alive."""

    def __init__(self, loader: Any, number: int) -> None:
        self._ref = weakref.ref(loader)
        self.number = number
        # The loader itself may be gone when its last batch comes.
        self.num_workers = int(getattr(loader, "num_workers", 0))
        self.persistent_workers = bool(getattr(loader, "persistent_workers", False))
        self.prefetch = getattr(loader, "prefetch_factor", None) or 2
        # The largest of the batches that were measured, the first of some epochs.
        self.batch_bytes = self.batch_tensors = 0
        # The line in the user's code that created it.
        self.where = user_line()
        # How often it was iterated, and the batches of the current epoch and of all.
        self.epochs = self.batch = self.batches = 0
        # The batches that an epoch should have; 0 if that is not known.
        self.length = 0
        # Whether a backward pass followed one of its batches; whether a model ran on one without gradients.
        self.trained = self.evaluated = False
        # Seconds of this epoch that the program waited for batches, and worked between them, batch by batch.
        self.waits: list[float] = []
        self.works: list[float] = []
        self.delivered_at = 0.0
        # The processes that have loaded for it, so that what they saw can be told to belong to it.
        self.worker_pids: list[int] = []
        self._written: object = None
        # Room for the checks: id -> whatever that check keeps.
        self.notes: dict[str, Any] = {}

    @property
    def loader(self) -> Any:
        """The DataLoader, or None when it is gone."""
        return self._ref()

    def measure(self, batch: Any) -> None:
        """See how large a batch is."""
        tensors = tensors_in(batch)
        self.batch_tensors = max(self.batch_tensors, len(tensors))
        self.batch_bytes = max(self.batch_bytes, sum(t.numel() * t.element_size() for t in tensors))

    def write(self, journal: Journal, rank: int | None) -> None:
        """Note which workers belong to this loader and what it is used for, if that is news."""
        now = (len(self.worker_pids), self.epochs, self.trained, self.evaluated, self.batch_bytes)
        if now != self._written:
            self._written = now
            journal.write("loader", number=self.number, where=self.where, worker_pids=self.worker_pids[-500:],
                          epochs=self.epochs, trained=self.trained, evaluated=self.evaluated,
                          workers=self.num_workers, prefetch=self.prefetch, batch_bytes=self.batch_bytes,
                          batch_tensors=self.batch_tensors, pid=os.getpid(), rank=rank)


class ModelRecord:
    """What is known of a module with parameters that the program calls itself, not through another one."""

    def __init__(self, module: Any) -> None:
        self._ref = weakref.ref(module)
        # Calls that were looked at; backward passes that followed one with gradients.
        self.calls = self.trained = 0

    @property
    def module(self) -> Any:
        """The module, or None when it is gone."""
        return self._ref()


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
        self.looking, self.looked = False, 0.0
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
        return self.looked < _SECONDS + _SHARE * (time.perf_counter() - self.began)

    def watched(self, event: str) -> bool:
        """Whether any check watches this event."""
        return bool(self._handlers.get(event))

    # -- events -------------------------------------------------------------------------------------

    def emit(self, event: str, *arguments: Any) -> None:
        """Hand an event to the session and to the checks. What a check itself causes is no event."""
        if self._busy or self._ended or threading.get_ident() != self.main_thread:
            return
        self._busy = True
        # Looks are counted by the time that they compute: on a machine with other work they take longer. That
        # clock is slower to read.
        clock = time.thread_time if self.looking or self.worker is not None else time.perf_counter
        start, began = clock(), time.perf_counter()
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
            self.looked += clock() - start
            self.spent += time.perf_counter() - began
            self._busy = False

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
        record.waits, record.works = [], []
        record.length = _batches_of(record.loader)
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
        wanted = (self._window > 0 or self.looked < _ALWAYS) and self.can_look()
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
        self.journal.write("end", looked=round(self.looked, 4),
                           seconds=round(time.perf_counter() - self.began, 4), **self.place())

    def _after_fork(self) -> None:
        self.main_thread = threading.get_ident()
        self._busy = self._ended = False
        self._calls.clear()
        self.began, self.looked, self.counts = time.perf_counter(), 0.0, {}
        self.step, self.loaders, self.loader = 0, [], None
        self.exit_code, self.enough = None, False


def begin(folder: str) -> Session:
    """The session of this process, which ends with it."""
    session = Session(folder)
    atexit.register(session.end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=session._after_fork)
    return session


def _batches_of(loader: Any) -> int:
    """The number of batches of an epoch; 0 if only code of the user's could tell."""
    from torch.utils import data
    from torch.utils.data.distributed import DistributedSampler

    own = (data.SequentialSampler, data.RandomSampler, data.SubsetRandomSampler, DistributedSampler)
    batches = getattr(loader, "batch_sampler", None)
    return len(batches) if type(batches) is data.BatchSampler and type(loader.sampler) in own else 0


def _gradients_on() -> bool:
    import torch

    return torch.is_grad_enabled()


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None
