"""State that training changes and no state dict contains: plain tensors (N2), non-persistent buffers (N5)."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, HINT, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.checks import _module_contents as module_contents
from dpkb_audit.checks._texts import format_shape
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a

# At most this many tensors of a model are followed.
_MAX_TENSORS = 20
# The calls of a model, counted from 0, in which its tensors are read. The distances grow, because a model may
# be called for a whole episode before it is trained.
_LOOKS = frozenset([*range(8), *(int(8 * 1.5**k) for k in range(17))])
# A tensor is reported if at least this many reads saw changed values.
_CHANGES = 2


class _State:
    """A tensor of a module. It is found by its name, because the module may replace it."""

    def __init__(self, path: str, tensor: Any, holder: Any, value: float) -> None:
        self.path, self.holder, self.value = path, weakref.ref(holder), value
        self.shape, self.identity = tuple(tensor.shape), id(tensor)
        self.changes = 0


class _Model:
    """An outermost module that was called."""

    def __init__(self) -> None:
        # The number of its calls, and whether it was in training mode in the last of them.
        self.calls, self.trains = 0, False
        # Its tensors by path.
        self.states: dict[str, _State] = {}


class UnsavedCheck(Check):
    """Follows tensors of modules that no state dict contains. A subclass chooses the tensors."""

    # For messages: "a plain attribute", "a buffer with persistent=False".
    state_kind = ""

    def prepare(self) -> None:
        # Outermost module -> its _Model; and the modules that were loaded.
        self._models, self._loaded = IdentityMap(), IdentityMap()

    def tensors_of(self, root: Any) -> Iterator[tuple[str, Any, Any]]:
        """Path, tensor and holder of each tensor that this check follows."""
        raise NotImplementedError

    def compare_with_others(self, root: Any, states: dict[str, _State]) -> None:
        """Compare the tensors of a model, at its first call, with those of models that were called before."""
        raise NotImplementedError

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        model = self._models.setdefault(module, _Model())
        calls, trained = model.calls, model.trains
        model.calls, model.trains = calls + 1, module.training
        if calls not in _LOOKS or (calls and not model.states):
            return
        tensors = list(self.tensors_of(module))[:_MAX_TENSORS]
        if calls:
            self._compare(model.states, tensors, _batch_sizes(inputs), trained)
        else:
            self._begin(model.states, tensors)
            self.compare_with_others(module, model.states)

    def _begin(self, states: dict[str, _State], tensors: list[Any]) -> None:
        for path, tensor, holder in tensors:
            value = module_contents.checksum(tensor)
            if value is not None and tensor.grad_fn is None and not tensor.requires_grad:
                states[path] = _State(path, tensor, holder, value)

    def _compare(self, states: dict[str, _State], tensors: list[Any], sizes: set[int], trained: bool) -> None:
        now = {path: tensor for path, tensor, _ in tensors}
        for path, state in list(states.items()):
            tensor = now.get(path)
            # A tensor that depends on the batch, or has a graph, is a result of the pass, not a state.
            if (
                tensor is None
                or tuple(tensor.shape) != state.shape
                or tensor.grad_fn is not None
                or sizes.intersection(state.shape[:2])
                or (tensor.numel() == 1 and id(tensor) != state.identity)
            ):
                del states[path]
                continue
            value = module_contents.checksum(tensor)
            if value is None:
                del states[path]
            elif value != state.value:
                state.value = value
                state.changes += trained

    def on_saved(self, obj: Any, target: Any) -> None:
        self._look_at(checkpoints.model_states_in(obj), "saved")

    def on_state_loading(self, module: Any, state: Any) -> None:
        self._look_at([state], "loaded")

    def on_state_loaded(self, module: Any, state: Any, result: Any) -> None:
        self._loaded.add(module)

    def on_end(self) -> None:
        self._look_at(None, "")

    def _look_at(self, saved: Any, action: str) -> None:
        for module, model in self._models.items():
            changed = [state for state in model.states.values() if state.changes >= _CHANGES]
            if changed and (saved is None or any(checkpoints.belongs_to(state, module) for state in saved)):
                self._report(changed, action)

    def _report(self, changed: list[_State], action: str) -> None:
        for state in changed:
            holder = state.holder()
            if holder is None:
                continue
            kind = type(holder)
            self.report(
                CERTAIN if action else HINT,
                f"{state.path} ({format_shape(state.shape)}) of {kind.__name__} changes "
                f"in training and is {self.state_kind}"
                + (f": the state dict that was {action} does not contain it" if action else ""),
                where=module_contents.find_attribute_line(kind, state.path),
                changes_seen=state.changes,
            )


def _batch_sizes(inputs: Any) -> set[int]:
    from torch import Tensor

    # A vector of floats is one sample; a vector of integers is a batch of ids.
    tensors = [item for item in (inputs if is_a(inputs, tuple) else ()) if is_a(item, Tensor)]
    sizes = {
        item.shape[0]
        for item in tensors
        if item.dim() > 1 or (item.dim() == 1 and not item.is_floating_point())
    }
    # In sequences, the batch may be the second dimension.
    return sizes | {item.shape[1] for item in tensors if item.dim() == 3}
