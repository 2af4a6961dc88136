"""C1: training continues from a checkpoint with a new optimizer."""

from __future__ import annotations

import math
import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.checks._optimizers import groups_of, parameter_ids, parameters_of
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import parameters_in
from dpkb_audit.object_contents import is_a
from dpkb_audit.records import OptimizerRecord
from dpkb_audit.user_code import find_user_line


class _OptimizerRun:
    """An optimizer that has stepped: its record, and its settings and parameters at the first step."""

    def __init__(self, record: OptimizerRecord) -> None:
        self.record, optimizer = record, record.optimizer
        self.kind = type(optimizer).__name__
        self.rates = [group.get("lr") for group in groups_of(optimizer)]
        self.shapes = [tuple(p.shape) for p in parameters_of(optimizer)]


class _SavedCheckpoint:
    """A checkpoint that this process has saved."""

    def __init__(self, obj: Any, run: _OptimizerRun | None) -> None:
        self.keys, self.run = checkpoints.top_level_keys(obj), run
        self.steps = run.record.steps if run else 0
        optimizer = run.record.optimizer if run else None
        self.entries = len(optimizer.state) if optimizer is not None else 0
        self.rates = [group.get("lr") for group in groups_of(optimizer)] if optimizer is not None else []


class _LoadedCheckpoint:
    """A checkpoint that was loaded."""

    def __init__(self, obj: Any) -> None:
        optimizers = [part for part in checkpoints.values_in(obj) if checkpoints.is_optimizer_state(part)]
        self.keys = checkpoints.top_level_keys(obj)
        self.shows_progress = max(checkpoints.whole_numbers_in(obj), default=0) > 0
        self.has_optimizer = bool(optimizers)
        self.settings = [
            _settings(state["param_groups"], state["state"]) for state in optimizers if state["state"]
        ]
        # A scheduler stores the initial learning rate in the optimizer.
        self.scheduled_rates = {
            group.get("lr")
            for state in optimizers
            for group in state["param_groups"]
            if "initial_lr" in group
        }


class _LoadedModel:
    """A model with the weights of a file, and the line that loaded them."""

    def __init__(self, model: Any, file: _LoadedCheckpoint) -> None:
        self.reference, self.file, self.where = weakref.ref(model), file, find_user_line()


class _LoadedOptimizer:
    """An optimizer with the state of a file, and the line that loaded it."""

    def __init__(self, optimizer: Any, file: _LoadedCheckpoint) -> None:
        self.reference, self.file, self.where = weakref.ref(optimizer), file, find_user_line()
        self.kind = type(optimizer).__name__
        self.settings = _settings(groups_of(optimizer), {})
        self.parameters = [weakref.ref(p) for p in parameters_of(optimizer)]

    def parameter_ids(self) -> set[int]:
        """The ids of its parameters that still exist."""
        return {id(reference()) for reference in self.parameters}


class C1(Check):
    description = "which parts of a checkpoint a resumed training loads: weights, optimizer, learning rate"
    fix = "save and load optimizer.state_dict() and scheduler.state_dict() with the weights"

    def prepare(self) -> None:
        self._runs: dict[OptimizerRecord | None, _OptimizerRun] = {}
        self._saves: list[_SavedCheckpoint] = []
        # The file that was loaded last, until a model or optimizer has loaded its state.
        self._file: _LoadedCheckpoint | None = None
        self._model: _LoadedModel | None = None
        # A model that continues with a new optimizer, until the program saves a file like the loaded one.
        self._watched: tuple[_LoadedModel, _OptimizerRun] | None = None
        # Optimizer -> its loading, for the scheduler that continues with it.
        self._scheduled = IdentityMap()
        # The optimizers that have made no step since they were loaded.
        self._waiting: list[_LoadedOptimizer] = []

    def on_saved(self, obj: Any, target: Any) -> None:
        if not checkpoints.model_states_in(obj):
            return
        saved = _SavedCheckpoint(obj, self._runs.get(self.training.optimizer))
        self._saves.append(saved)
        del self._saves[:-50]
        # The program saves the same kind of file as it has loaded, so the loaded file was its own checkpoint.
        if self._watched and saved.keys is not None and saved.keys == self._watched[0].file.keys:
            (loaded, run), self._watched = self._watched, None
            if saved.run is run and saved.entries and loaded.file.shows_progress:
                self._report(LIKELY, run, loaded)

    def on_loaded(self, obj: Any, source: Any) -> None:
        if checkpoints.model_states_in(obj):
            self._file = _LoadedCheckpoint(obj)

    def on_state_loaded(self, module: Any, state: Any, result: Any) -> None:
        if self._file is not None and not getattr(result, "missing_keys", None):
            self._model = _LoadedModel(module, self._file)

    def on_optimizer_loaded(self, optimizer: Any) -> None:
        if self._file is None:
            return
        loaded = _LoadedOptimizer(optimizer, self._file)
        if loaded.file.scheduled_rates:
            self._scheduled[optimizer] = loaded
        if optimizer.state and len(self._waiting) < 20:
            self._waiting.append(loaded)
        self._file = self._model = None

    def on_step_started(self, optimizer: Any) -> None:
        loaded, record = self._model, self.training.optimizer
        is_known = record in self._runs
        if record is not None and not is_known:
            self._runs[record] = _OptimizerRun(record)
            if self._waiting:
                self._find_replaced_optimizer(optimizer)
        if loaded is not None:
            model = loaded.reference()
            parameters = parameter_ids([optimizer])
            if model is None or any(id(p) in parameters for p in parameters_in(model)):
                self._model = None
                if model is not None and not is_known and not optimizer.state:
                    self._compare_with_saved(loaded, self._runs[record], optimizer)

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        optimizer = getattr(scheduler, "optimizer", None)
        loaded = self._scheduled.pop(optimizer, None)
        if loaded is None or epoch is not None or getattr(scheduler, "last_epoch", 1) > 0:
            return
        begins, rates = list(getattr(scheduler, "_last_lr", ())), loaded.file.scheduled_rates
        if begins and not any(math.isclose(begin, rate, rel_tol=1e-3) for begin in begins for rate in rates):
            self.report(
                LIKELY,
                f"the optimizer resumes from a checkpoint with a learning rate of {max(rates):.4g}, "
                f"but {type(scheduler).__name__} starts again at {begins[0]:.4g}: the state of the "
                "scheduler was not loaded",
                where=loaded.where,
            )

    def _find_replaced_optimizer(self, optimizer: Any) -> None:
        """At the first step of an optimizer, look whether the checkpoint was loaded into a different one."""
        parameters = parameter_ids([optimizer])
        for loaded in self._waiting:
            if (
                loaded.reference() is not optimizer
                and loaded.parameter_ids() == parameters
                and not optimizer.state
                and type(optimizer).__name__ == loaded.kind
                and _settings(groups_of(optimizer), {}) == loaded.settings
            ):
                self.report(
                    LIKELY,
                    f"a state was loaded into one {loaded.kind}, but another {loaded.kind} with the "
                    "same parameters and settings makes the steps: it starts with an empty state",
                    where=loaded.where,
                    fix="create the optimizer once, before its state is loaded",
                )
        self._waiting = [loaded for loaded in self._waiting if not parameters & loaded.parameter_ids()]

    def _compare_with_saved(self, loaded: _LoadedModel, run: _OptimizerRun, optimizer: Any) -> None:
        """Compare a new optimizer at its first step on a loaded model with the saved ones."""
        for saved in reversed(self._saves):
            old = saved.run
            if (
                old is None
                or old is run
                or saved.keys != loaded.file.keys
                or not saved.steps
                or saved.steps != old.record.steps
                or old.shapes != run.shapes
                or old.kind != run.kind
            ):
                continue
            # With a different learning rate it is a new training run, not a resumed one.
            if old.rates != run.rates:
                continue
            jump = bool(saved.rates) and saved.rates != run.rates
            if saved.entries or jump:
                rates = f", its learning rate is {run.rates[0]} again, after {saved.rates[0]}" if jump else ""
                self._report(
                    CERTAIN if loaded.file.shows_progress or jump else LIKELY,
                    run,
                    loaded,
                    f" after {saved.steps} steps{rates}",
                )
                return
        if _settings(groups_of(optimizer), {}) in [(groups, ()) for groups, _ in loaded.file.settings]:
            shapes = {tuple(p.shape) for p in parameters_of(optimizer)}
            # A new training run, not a resumed one, has other settings or a new head.
            if any(set(seen) <= shapes for _, seen in loaded.file.settings):
                self._report(LIKELY, run, loaded)
                return
        self._watched = loaded, run

    def _report(self, certainty: str, run: _OptimizerRun, loaded: _LoadedModel, after: str = "") -> None:
        has = "an optimizer state, which is not loaded" if loaded.file.has_optimizer else "no optimizer state"
        self.report(
            certainty,
            f"the weights were loaded from a checkpoint{after}, but {run.kind} starts with an "
            f"empty state: the file has {has}",
            where=loaded.where,
        )


def _settings(groups: Any, state: Any) -> tuple[Any, Any]:
    """The settings of each parameter group, with its first learning rate, and the shapes of its parameters.

    The shapes are those of the tensors in a state, which are the same.
    """
    settings = []
    for group in groups:
        plain: dict[str, Any] = {
            key: value for key, value in group.items() if is_a(value, (bool, int, float, tuple))
        }
        plain["lr"] = plain.pop("initial_lr", plain.get("lr"))
        settings.append((len(group["params"]), sorted(plain.items())))
    shapes = {
        tuple(value.shape)
        for entry in list(state.values())[:500]
        if is_a(entry, dict)
        for value in entry.values()
        if getattr(value, "shape", None)
    }
    return settings, tuple(sorted(shapes))
