"""State that training changes and no state dict contains: plain tensors (N2), non-persistent buffers (N5)."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, HINT, Check
from dpkb_audit.checks import _module_contents as module_contents
from dpkb_audit.checks._texts import format_shape
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

    from dpkb_audit.audit import Audit

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


class UnsavedCheck(Check):
    """Follows tensors of modules that no state dict contains. A subclass chooses the tensors."""

    # For messages: "a plain attribute", "a buffer with persistent=False".
    state_kind = ""

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        # id of an outermost module -> a reference to it, the number of its calls, its tensors by path, and
        # whether it was in training mode in the previous call.
        self._models: dict[int, tuple[Any, int, dict[str, _State], bool]] = {}
        # The models that were loaded.
        self._loaded = IdentityMap()

    def tensors_of(self, root: Any) -> Iterator[tuple[str, Any, Any]]:
        """Path, tensor and holder of each tensor that this check follows."""
        return iter(())

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        reference, calls, states, trained = self._models.get(id(module), (None, 0, {}, False))
        if reference is None or reference() is not module:
            if len(self._models) > 200:
                return
            reference, calls, states = weakref.ref(module), 0, {}
        self._models[id(module)] = reference, calls + 1, states, module.training
        if calls not in _LOOKS or (calls and not states):
            return
        tensors = list(self.tensors_of(module))[:_MAX_TENSORS]
        if not calls:
            self._begin(states, tensors)
        else:
            self._compare(states, tensors, _batch_sizes(inputs), trained)

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
        self._look_at(list(module_contents.find_state_keys(obj)), "saved")

    def on_state_loading(self, module: Any, state: Any) -> None:
        self._look_at(list(module_contents.find_state_keys(state)), "loaded")

    def on_state_loaded(self, module: Any, state: Any, result: Any) -> None:
        self._loaded.add(module)

    def on_end(self) -> None:
        self._look_at(None, "")

    def _look_at(self, keys: Any, action: str) -> None:
        for reference, _, states, _ in list(self._models.values()):
            module = reference()
            changed = [state for state in states.values() if state.changes >= _CHANGES]
            if module is None or not changed:
                continue
            if keys is None or any(module_contents.belongs_to(one, module) for one in keys):
                self._report(changed, action)

    def _report(self, changed: list[_State], action: str) -> None:
        for state in changed:
            holder = state.holder()
            if holder is None or holder in self._reported:
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
