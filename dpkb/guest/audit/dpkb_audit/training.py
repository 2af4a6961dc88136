"""The state of the training in this process: its loaders, steps, losses and models."""

from __future__ import annotations

import math

from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import has_parameters
from dpkb_audit.object_contents import is_a
from dpkb_audit.records import OptimizerRecord, batches_of
from dpkb_audit.system import time
from dpkb_audit.tensors import is_readable

MYPY = False
if MYPY:
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.records import BatchRecord, LoaderRecord

# The counts are written after this many seconds, and later after this share of the time since the start, so
# that they do not fill the journal of a long run.
_COUNTS_EVERY = 1.0
_COUNTS_SHARE = 0.01
# The CPU times of a loader's processes are read every 8 batches.
_CPU_TIMES_EVERY = 8
# At most this many of the last finite losses are kept.
_LAST_LOSSES = 10


class Training:
    """Keeps the state of a process that several checks use. It gets each event before the checks do."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        # The number of optimizer steps.
        self.step = 0
        self.counts: dict[str, int] = {}
        self._started_at = time.perf_counter()
        self._write_at = self._started_at + _COUNTS_EVERY
        self.loaders: list[LoaderRecord] = []
        # The loader of the last batch, and the loaders of the batches since the last backward pass.
        self.loader: LoaderRecord | None = None
        self._feeding: list[LoaderRecord] = []
        # All optimizers that exist. An optimizer that is older than the audit is added at its first step.
        self.optimizers = IdentityMap()
        # The optimizers that have begun a step; the optimizer of the present or last step, and the number of
        # its steps.
        self.optimizer_records = IdentityMap()
        self.optimizer: OptimizerRecord | None = None
        self.optimizer_steps = 0
        # Outermost module with parameters -> the number of backward passes after a call of it with gradients;
        # and the ids of those that were called since the last backward pass.
        self.models = IdentityMap()
        self._called: set[int] = set()
        self.in_backward = False
        # Whether torch.compile() or gradient checkpointing was used.
        self.is_compiled = self.is_checkpointed = False
        # The last batch before a loss that is not finite.
        self.last_batch: BatchRecord | None = None
        # The kind of reason why a loss was not finite, and a clause that describes it; "" and "" if that is not
        # known, None before it was looked for.
        self.loss_cause: tuple[str, str] | None = None
        # The loss of the present backward pass, if it is one number on the CPU, and whether it is finite; the
        # first finite losses, and the last ones.
        self.loss: float | None = None
        self.is_loss_finite = True
        self.first_losses: list[float] = []
        self.last_losses: list[float] = []

    def count(self, name: str) -> None:
        """Count something; the journal gets the numbers now and then, and at the end."""
        self.counts[name] = self.counts.get(name, 0) + 1
        if time.perf_counter() > self._write_at:
            self.write()

    def write(self) -> None:
        """Write the counts and the loaders to the journal."""
        audit = self._audit
        now = time.perf_counter()
        self._write_at = now + max(_COUNTS_EVERY, _COUNTS_SHARE * (now - self._started_at))
        audit.journal.write("counts", counts=self.counts, **audit.process_fields())
        for record in self.loaders:
            record.write(audit.journal, audit.rank)

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self.counts = {}
        self.step, self.loaders, self.loader = 0, [], None

    def on_loader_created(self, record: LoaderRecord) -> None:
        self.loaders.append(record)
        del self.loaders[:-200]

    def on_epoch_started(self, record: LoaderRecord) -> None:
        record.epochs += 1
        record.in_epoch = True
        record.batch = 0
        record.delivered_at = 0.0
        record.wait_seconds, record.work_seconds, record.cpu_times = [], [], []
        record.length = batches_of(record.loader)
        if record.epochs <= 5:
            self._audit.module_calls.follow_epoch()

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        now = time.perf_counter()
        if record.delivered_at and len(record.work_seconds) < 5000:
            record.work_seconds.append(max(now - waited - record.delivered_at, 0.0))
        if len(record.wait_seconds) < 5000:
            record.wait_seconds.append(waited)
        record.delivered_at = now
        record.batch += 1
        record.batches += 1
        if record.batch % _CPU_TIMES_EVERY == 1:
            record.read_cpu_times()
        self.loader = record
        if len(self._feeding) < 1000:
            self._feeding.append(record)
        if record.batch == 1 and record.epochs <= 3 and self._audit.can_look():
            record.measure(batch)
        self.count("batches")
        self._audit.module_calls.forget_unfinished()
        self._audit.module_calls.follow_batch(last=record.batch == record.length and record.epochs <= 5)

    on_batch_passed = on_batch

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        record.in_epoch = False
        self._feeding = [other for other in self._feeding if other is not record]
        self.count("epochs")
        record.write(self._audit.journal, self._audit.rank)

    def on_optimizer_created(self, optimizer: Any) -> None:
        self.optimizers.add(optimizer)

    def _end_step(self) -> None:
        self.step += 1
        self.count("optimizer steps")
        self._audit.rest.follow_step(self.step)

    def follow_forward(self) -> None:
        """An outermost module was called."""
        self.count("forward passes")
        if self.loader and not _gradients_on():
            self.loader.evaluated = True

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        if not has_parameters(module):  # a loss, a transform
            return
        if module not in self.models:
            self.models[module] = 0
        if _gradients_on():
            self._called.add(id(module))

    def read_loss(self, tensors: Any) -> float | None:
        """The loss of a backward pass, if it is one real number on the CPU."""
        import torch

        if not tensors or not is_readable(tensors[0]) or tensors[0].numel() != 1:
            return None
        # A subclass of Tensor may have an item() of its own.
        number = torch.Tensor.item(tensors[0])
        return None if is_a(number, complex) else float(number)

    def _find_record(self, optimizer: Any) -> OptimizerRecord | None:
        record = self.optimizer
        if record is not None and record.optimizer is optimizer:
            return record
        return self.optimizer_records.get(optimizer)

    def count_step(self, optimizer: Any) -> None:
        """Count a step at rest."""
        record = self._find_record(optimizer)
        if record is not None:
            record.steps += 1
            self.optimizer, self.optimizer_steps = record, record.steps
        self._end_step()

    def count_backward(self) -> None:
        """Count a backward pass, also at rest, and note which loaders it trains with."""
        if self.loader:
            self.loader.trained_epoch = self.loader.epochs
        if self._feeding:
            # A step may use one batch of each of several loaders.
            for record in self._feeding[-4:]:
                if self._feeding.count(record) == 1:
                    record.trained_epoch = record.epochs
            self._feeding = []
        self.count("backward passes")

    def on_backward_started(self, tensors: Any) -> None:
        self._audit.module_calls.forget_unfinished()
        self.loss = loss = self.read_loss(tensors)
        self.is_loss_finite = loss is None or math.isfinite(loss)
        if loss is not None and self.is_loss_finite:
            if len(self.first_losses) < 5:
                self.first_losses.append(loss)
            self.last_losses.append(loss)
            del self.last_losses[:-_LAST_LOSSES]
        self.in_backward = True
        if self._called:
            for module in self.models:
                self.models[module] += id(module) in self._called
            self._called.clear()
        self.count_backward()

    def on_step_started(self, optimizer: Any) -> None:
        record = self._find_record(optimizer)
        if record is None:
            if not self.optimizer_records:
                self._report_device(optimizer)
            record = self.optimizer_records[optimizer] = OptimizerRecord(optimizer)
        self.optimizer = record
        record.steps += 1
        self.optimizer_steps = record.steps

    def _report_device(self, optimizer: Any) -> None:
        """Name the checks that see less, if the program trains on another device than the CPU."""
        from dpkb_audit.checks import all_checks
        from dpkb_audit.checks._optimizers import parameters_of

        parameter = next(iter(parameters_of(optimizer)), None)
        device = parameter.device.type if parameter is not None else "cpu"
        if device != "cpu":
            ids = sorted(id for id, check in all_checks().items() if check.cpu_only)
            self._audit.journal.write(
                "left_out",
                area=(
                    f"what {', '.join(ids)} read of the values of tensors, which are on {device}: reading them "
                    "would wait for it; for these, audit some steps on the CPU"
                ),
            )

    def on_step_ended(self, optimizer: Any) -> None:
        self._end_step()
        self._audit.module_calls.forget_unfinished()
        self._audit.module_calls.follow_step(self.step)


def _gradients_on() -> bool:
    import torch

    return torch.is_grad_enabled()
