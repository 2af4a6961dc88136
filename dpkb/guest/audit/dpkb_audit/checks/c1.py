"""C1: a training that goes on from a checkpoint with a new optimizer."""

from __future__ import annotations

import math
import weakref

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.where import user_line

MYPY = False
if MYPY:
    from typing import Any


class _Run:
    """An optimizer that has made steps."""

    def __init__(self, optimizer: Any) -> None:
        self.reference = weakref.ref(optimizer)
        self.kind = type(optimizer).__name__
        self.rates = [group.get("lr") for group in optimizer.param_groups]
        self.shapes = [tuple(p.shape) for group in optimizer.param_groups for p in group["params"]]
        self.steps = 0


class _Saved:
    """A checkpoint that this process has saved."""

    def __init__(self, obj: Any, run: _Run | None, optimizer: Any) -> None:
        self.outline, self.run = checkpoints.outline(obj), run
        self.steps = run.steps if run else 0
        self.entries = len(optimizer.state) if optimizer is not None else 0
        self.rates = [group.get("lr") for group in optimizer.param_groups] if optimizer is not None else []


class C1(Check):
    watches = "which parts of a checkpoint a resumed training loads: weights, optimizer, learning rate"
    fix = "save and load optimizer.state_dict() and scheduler.state_dict() with the weights"

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._runs: dict[int, _Run] = {}
        self._last: _Run | None = None
        self._saved: list[_Saved] = []
        # Outline of the file that was loaded last, whether it has an optimizer's state, its numbers.
        self._file: Any = None
        # The model that was loaded from it: a reference, the line, and the optimizer that goes on with it.
        self._resumed: Any = None
        self._watched: Any = None
        # The optimizers that were loaded, by id: a reference, the file's scheduled learning rates, the line.
        self._continued: dict[int, tuple[Any, set[float], Any]] = {}
        # Optimizers that were loaded and have made no step since: a reference, the parameters, and the rest.
        self._waiting: list[dict[str, Any]] = []

    def on_saved(self, obj: Any, target: Any) -> None:
        if not any(map(checkpoints.is_model_state, checkpoints.parts(obj))):
            return
        run = self._last
        optimizer = run.reference() if run else None
        saved = _Saved(obj, run, optimizer)
        self._saved.append(saved)
        del self._saved[:-50]
        # The program saves the same kind of file as it has loaded: what it loaded was one of its own.
        if self._watched and saved.outline is not None and saved.outline == self._watched["outline"]:
            facts, self._watched = self._watched, None
            if saved.run is facts["run"] and saved.entries and facts["progress"]:
                self._report(LIKELY, facts["kind"], facts["where"], facts["in_file"], "")

    def on_loaded(self, obj: Any, source: Any) -> None:
        if any(map(checkpoints.is_model_state, checkpoints.parts(obj))):
            self._file = {
                "outline": checkpoints.outline(obj), "progress": max(checkpoints.numbers(obj), default=0) > 0,
                "in_file": any(map(checkpoints.is_optimizer_state, checkpoints.parts(obj))),
                "settings": [_settings(state["param_groups"], state["state"])
                             for state in checkpoints.parts(obj)
                             if checkpoints.is_optimizer_state(state) and state["state"]],
                # A scheduler notes the learning rate that it began with.
                "rates": {group.get("lr") for state in checkpoints.parts(obj)
                          if checkpoints.is_optimizer_state(state)
                          for group in state["param_groups"] if "initial_lr" in group}}

    def on_state_loaded(self, owner: Any, state: Any, result: Any) -> None:
        from torch.optim import Optimizer

        if isinstance(owner, Optimizer):
            if self._file is not None and self._file["rates"] and len(self._continued) < 100:
                self._continued[id(owner)] = weakref.ref(owner), self._file["rates"], user_line()
            if self._file is not None and owner.state and len(self._waiting) < 20:
                self._waiting.append({
                    "reference": weakref.ref(owner), "where": user_line(), "kind": type(owner).__name__,
                    "settings": _settings(owner.param_groups, {}),
                    "parameters": [weakref.ref(p) for group in owner.param_groups for p in group["params"]]})
            self._file = self._resumed = None
        elif self._file is not None and isinstance(state, dict) and not getattr(result, "missing_keys", None):
            self._resumed = {**self._file, "model": weakref.ref(owner), "where": user_line()}

    def on_step_started(self, optimizer: Any) -> None:
        resumed, run = self._resumed, self._runs.get(id(optimizer))
        known = run is not None and run.reference() is optimizer
        if not known:
            if len(self._runs) > 100:
                self._runs.clear()
            run = self._runs[id(optimizer)] = _Run(optimizer)
        if self._waiting and not known:
            self._look_at_loaded(optimizer)
        if run is not None and resumed is not None:
            model = resumed["model"]()
            owned = {id(p) for group in optimizer.param_groups for p in group["params"]}
            if model is None or any(id(p) in owned for p in model.parameters()):
                self._resumed = None
                if model is not None and not known and not optimizer.state:
                    self._judge(resumed, run, optimizer)

    def on_scheduler_stepped(self, scheduler: Any, epoch: Any) -> None:
        optimizer = getattr(scheduler, "optimizer", None)
        loaded, rates, where = self._continued.pop(id(optimizer), (lambda: None, set(), None))
        if loaded() is not optimizer or epoch is not None or getattr(scheduler, "last_epoch", 1) > 0:
            return
        begins = list(getattr(scheduler, "_last_lr", ()))
        if begins and not any(math.isclose(begin, rate, rel_tol=1e-3) for begin in begins for rate in rates):
            self.report(
                LIKELY, f"the optimizer resumes from a checkpoint with a learning rate of {max(rates):.4g}, "
                f"but {type(scheduler).__name__} starts again at {begins[0]:.4g}: the state of the "
                "scheduler was not loaded", where=where)

    def _look_at_loaded(self, optimizer: Any) -> None:
        """The first step of an optimizer: was another one loaded in its place?"""
        owned = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for loaded in self._waiting:
            same = owned == {id(reference()) for reference in loaded["parameters"]}
            if (loaded["reference"]() is not optimizer and same and not optimizer.state
                    and type(optimizer).__name__ == loaded["kind"]
                    and _settings(optimizer.param_groups, {}) == loaded["settings"]):
                self.report(
                    LIKELY, f"the state of an {loaded['kind']} was loaded, but another {loaded['kind']} with "
                    "the same parameters and settings makes the steps: it starts with an empty state",
                    where=loaded["where"], fix="create the optimizer once, before its state is loaded")
        self._waiting = [loaded for loaded in self._waiting if not owned & {
            id(reference()) for reference in loaded["parameters"]}]

    def on_step_ended(self, optimizer: Any) -> None:
        run = self._runs.get(id(optimizer))
        if run is not None:
            run.steps += 1
            self._last = run

    def _judge(self, resumed: Any, run: _Run, optimizer: Any) -> None:
        """A new optimizer makes its first step on a model that was loaded."""
        for saved in reversed(self._saved):
            old = saved.run
            if (old is None or old is run or saved.outline != resumed["outline"] or not saved.steps
                    or saved.steps != old.steps or old.shapes != run.shapes or old.kind != run.kind):
                continue
            # A learning rate that is set to something else is another training, not a resumed one.
            if old.rates != run.rates:
                continue
            jump = bool(saved.rates) and saved.rates != run.rates
            if saved.entries or jump:
                rates = f", its learning rate is {run.rates[0]} again, after {saved.rates[0]}" if jump else ""
                self._report(CERTAIN if resumed["progress"] or jump else LIKELY, run.kind, resumed["where"],
                             resumed["in_file"], f" after {saved.steps} steps{rates}")
                return
        if _settings(optimizer.param_groups, {}) in [(groups, ()) for groups, _ in resumed["settings"]]:
            shapes = {tuple(p.shape) for group in optimizer.param_groups for p in group["params"]}
            # A training of something else has other settings, or another head.
            if any(set(seen) <= shapes for _, seen in resumed["settings"]):
                self._report(LIKELY, run.kind, resumed["where"], True, "")
                return
        self._watched = {**resumed, "run": run, "kind": run.kind}

    def _report(self, certainty: str, kind: str, where: Any, in_file: bool, more: str) -> None:
        what = "has an optimizer state, which is not loaded" if in_file else "has no optimizer state"
        self.report(certainty, f"the weights were loaded from a checkpoint{more}, but {kind} starts with an "
                    f"empty state: the file {what}", where=where)


def _settings(groups: Any, state: Any) -> tuple[Any, Any]:
    """The settings of each parameter group with the learning rate that it began with, and the shapes in a
    state, which are those of the parameters.
    """
    settings = []
    for group in groups:
        plain: dict[str, Any] = {key: value for key, value in group.items()
                                 if isinstance(value, (bool, int, float, tuple))}
        plain["lr"] = plain.pop("initial_lr", plain.get("lr"))
        settings.append((len(group["params"]), sorted(plain.items())))
    shapes = {tuple(value.shape) for entry in list(state.values())[:500] if isinstance(entry, dict)
              for value in entry.values() if getattr(value, "shape", None)}
    return settings, tuple(sorted(shapes))
