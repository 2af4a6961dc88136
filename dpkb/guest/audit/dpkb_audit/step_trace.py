"""Writes the trace of `dpkb audit --trace`: a line of JSON for each optimizer step. It has digests and numbers, no data.

dpkb/audit/same_as.py compares the traces of two runs.
"""

from __future__ import annotations

import sys
from hashlib import sha1
from json import dumps
from typing import Any

from dpkb_audit.checks._checkpoints import is_model_state, model_states_in
from dpkb_audit.checks._generators import list_global_generators, state_of
from dpkb_audit.checks._optimizers import groups_of, parameter_ids, parameters_of
from dpkb_audit.modules import buffers_in, parameters_in
from dpkb_audit.object_contents import is_a, items_of, own_attributes
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import digest, digest_numbers
from dpkb_audit.system import os
from dpkb_audit.tensors import is_tensor, read_elements

MYPY = False
if MYPY:
    from dpkb_audit.audit import Audit

# Of more tensors than this, some are read, spread over all of them.
_MAX_TENSORS = 200
# Of the backward passes of a step, the last ones are written.
_MAX_PASSES = 64
_SETTINGS = ("momentum", "betas", "weight_decay")


class StepTrace:
    """Follows the steps of a process. What it reads may lie on a GPU, for which it waits."""

    def __init__(self, audit: Audit, path: str) -> None:
        self._audit, self._path = audit, path
        # The process that has begun a trace: a forked child begins its own.
        self._pid = 0
        # How often a state was loaded before the first step.
        self._loads = 0
        # The last batch of each loader since the last backward pass; the passes since the last step.
        self._batches: dict[LoaderRecord, list[Any]] = {}
        self._passes: list[list[Any]] = []
        self._scale: list[float] = []
        self._step: dict[str, Any] = {}

    def on_epoch_started(self, record: LoaderRecord) -> None:
        # Digests of the indices that the sampler gave and whose batch has not come yet.
        record.kept["trace"] = []

    def on_indices(self, record: LoaderRecord, indices: Any) -> None:
        # A stream is asked for batches of None.
        is_stream = indices is None or (is_a(indices, list) and indices[:1] == [None])
        record.kept.setdefault("trace", []).append(None if is_stream else _text_digest(repr(indices)))

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        ahead = record.kept.get("trace")
        indices = ahead.pop(0) if ahead else None
        self._batches[record] = [indices, digest(batch), record.batch, _sampler_epoch(record.loader)]

    def on_backward_started(self, tensors: Any) -> None:
        loss = (read_elements(tensors[0], cpu_only=False) if tensors else [])[:1]
        # Batches of an evaluation may have come before those of the training.
        batches = [
            batch
            for record, batch in self._batches.items()
            if record.in_epoch and record.trained_epoch == record.epochs
        ]
        self._passes.append([*map(repr, loss), *batches] if loss else ["", *batches])
        del self._passes[:-_MAX_PASSES]
        self._batches.clear()

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        own = own_attributes(scaler)
        if name == "step":
            tensors = [own.get(key) for key in ("_scale", "_growth_tracker")]
            self._scale = [
                x for tensor in tensors if is_tensor(tensor) for x in read_elements(tensor, cpu_only=False)
            ]

    def on_state_loaded(self, *_: Any) -> None:
        self._loads += 1

    on_loaded = on_optimizer_loaded = on_state_loaded

    def on_step_started(self, optimizer: Any) -> None:
        groups = groups_of(optimizer)
        state = own_attributes(optimizer).get("state") or {}
        # Param -> its state by name.
        states = [own for own in map(state.get, parameters_of(optimizer)) if is_a(own, dict)]
        steps = [own["step"] for own in states[:1] if "step" in own]
        count = [x for step in steps for x in (read_elements(step, False) if is_tensor(step) else [step])]
        moments = [own[key] for own in states for key in sorted(own) if key != "step" and is_tensor(own[key])]
        self._step = {
            "weights": _tensor_digest(parameters_of(optimizer)),
            "rates": [_number(group.get("lr")) for group in groups],
            "settings": _text_digest(repr([[group.get(key) for key in _SETTINGS] for group in groups])),
            "count": int(count[0]) if count else 0,
            "moments": _tensor_digest(moments),
        }

    def on_step_ended(self, optimizer: Any) -> None:
        self._step.update(
            passes=self._passes, scale=self._scale, random=_random_states(), others=self._other_tensors()
        )
        self._passes = []
        self._write(self._step)

    def on_saved(self, obj: Any, target: Any) -> None:
        parts = items_of(obj) if is_a(obj, dict) and not is_model_state(obj) else [("", obj)]
        saved = {
            place: _tensor_digest([value for state in states for value in state.values() if is_tensor(value)])
            for place, part in parts
            for states in (model_states_in(part),)
            if states
        }
        if saved and self._pid == os.getpid():
            self._write({"saved": saved})

    def on_end(self) -> None:
        record = self._audit.training.optimizer
        optimizer = record and record.optimizer
        if self._pid != os.getpid() or optimizer is None:
            return
        completed = not self._audit.steps_reached and getattr(sys, "last_value", None) is None
        weights = _tensor_digest(parameters_of(optimizer))
        self._write({"completed": completed, "weights": weights, "others": self._other_tensors()})

    def _other_tensors(self) -> dict[str, list[str]]:
        """A digest of the buffers, and of the weights outside of all optimizers, for each kind of model."""
        training, digests = self._audit.training, {}  # type: ignore[var-annotated]
        trained = parameter_ids(training.optimizers)
        for model in training.models:
            tensors = [*buffers_in(model), *(p for p in parameters_in(model) if id(p) not in trained)]
            if tensors:
                kind = _text_digest(repr([type(model).__name__, *(tuple(t.shape) for t in tensors)]))
                digests.setdefault(kind, []).append(_tensor_digest(tensors))
        return {kind: sorted(found) for kind, found in digests.items()}

    def _write(self, line: dict[str, Any]) -> None:
        rank = self._audit.rank
        path = f"{self._path}.rank{rank}" if rank else self._path
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._write(self._first_line())
        data = dumps(line, separators=(",", ":"), default=str) + "\n"
        self._audit.journal.trace("steps", data.encode("utf-8", "backslashreplace"), path)

    def _first_line(self) -> dict[str, Any]:
        torch: Any = sys.modules["torch"]
        return {
            "trace": 1,
            "rank": self._audit.rank,
            "loads": self._loads,
            # What may change the result of a computation.
            "run": {
                "torch": torch.__version__,
                "ranks": self._audit.world_size,
                "threads": torch.get_num_threads(),
                "workers": max((record.num_workers for record in self._audit.training.loaders), default=0),
                "GPU": torch.cuda.get_device_name() if torch.cuda.is_initialized() else None,
                "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
            },
        }


def _text_digest(text: str) -> str:
    return sha1(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def _tensor_digest(tensors: list[Any]) -> str:
    """A digest of at most 256 values of each tensor; "" if none can be read."""
    chosen = tensors[:: len(tensors) // _MAX_TENSORS + 1]
    values = [read_elements(tensor, cpu_only=False) for tensor in chosen]
    return _text_digest(repr(list(map(digest_numbers, values)))) if any(values) else ""


def _number(value: Any) -> Any:
    return (read_elements(value, cpu_only=False) or [None])[0] if is_tensor(value) else value


def _random_states() -> dict[str, str]:
    """A digest of the state of each global random generator."""
    torch: Any = sys.modules["torch"]
    generators = list_global_generators()
    if torch.cuda.is_initialized():
        generators.append(("torch's generator of the GPU", torch.cuda))
    return {name: state_of(generator)[:8] for name, generator in generators}


def _sampler_epoch(loader: Any) -> int | None:
    """The number that set_epoch() has given to the sampler of a loader."""
    own = own_attributes(loader)
    for sampler in (own.get("sampler"), own_attributes(own.get("batch_sampler")).get("sampler")):
        epoch = own_attributes(sampler).get("epoch")
        if type(epoch) is int:
            return epoch
    return None
