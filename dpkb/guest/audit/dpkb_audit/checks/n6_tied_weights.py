"""N6: tied weights that are not tied any more, or that have two values in a checkpoint."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import join_path, named_modules_in, named_parameters_in
from dpkb_audit.object_contents import is_a
from dpkb_audit.tensors import is_readable
from dpkb_audit.user_code import find_user_frames

# Ties are looked for in at most this many calls of a model.
_MAX_CALLS = 6
# Ties are looked for in at most this many events that list or share its parameters.
_MAX_LISTINGS = 40
# At most this many elements of two tensors are compared.
_MAX_ELEMENTS = 1 << 16


class N6(Check):
    cpu_only = True
    description = "parameters that a model has under two names, before and after loading and other changes"
    fix = (
        "tie the weights again after anything that replaces one of them, and before the optimizer is created"
    )

    def prepare(self) -> None:
        # Model -> its tied names with the id of the parameter, and how often its ties were looked for.
        self._ties = IdentityMap()
        # Models with broken ties: a reference, the names, and the action that broke the tie.
        self._broken: list[tuple[Any, tuple[str, ...], str]] = []
        self.pause("step_ended")

    def on_parameters_passed(self, module: Any) -> None:
        self._find_ties(module, "something replaced one of them", _MAX_LISTINGS)

    def on_parameter_shared(self, module: Any, name: str, parameter: Any) -> None:
        from torch.nn import Module

        # The model whose weights are tied is a local variable in one of these frames.
        for frame in find_user_frames():
            for root in [value for value in frame.f_locals.values() if is_a(value, Module)]:
                self._find_ties(
                    root, "something replaced one of them", _MAX_LISTINGS, (module, name, parameter)
                )

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        self._find_ties(module, "something replaced one of them")
        self._report_broken()

    def on_state_loading(self, module: Any, state: Any) -> None:
        ties = self._find_ties(module, "something replaced one of them", 1000)
        for names in ties:
            tensors = [state[name] for name in names if name in state]
            if len(tensors) > 1 and _differ(tensors[0], tensors[-1]):
                self.report(
                    CERTAIN,
                    f"{names[0]} and {names[-1]} are one parameter, and the state dict has "
                    "two different values for it: only the last is kept",
                    fix="untie the model before loading, or keep one of the two values in the checkpoint",
                )

    def on_state_loaded(self, module: Any, state: Any, result: Any) -> None:
        self._find_ties(module, "load_state_dict() made two of it", 1000)
        parameters = dict(named_parameters_in(module))
        storages: dict[Any, list[str]] = {}
        for name, tensor in state.items():
            if name in parameters and getattr(tensor, "layout", None) is not None and tensor.numel() > 1:
                storages.setdefault((tensor.data_ptr(), tuple(tensor.shape)), []).append(name)
        for (pointer, _), names in storages.items():
            first, last = parameters[names[0]], parameters[names[-1]]
            # On the meta device every tensor has the address 0. If only one is trained, they are not meant to be one.
            if pointer and first is not last and first.requires_grad == last.requires_grad:
                self._note_broken_tie(module, tuple(names), "the state dict has them as one tensor")

    def on_step_ended(self, optimizer: Any) -> None:
        self._report_broken()
        self.pause("step_ended")

    def _find_ties(
        self, root: Any, why: str, max_looks: int = _MAX_CALLS, shared: Any = None
    ) -> dict[tuple[str, ...], int]:
        """The names of each tied parameter. shared: a module, a name and what will have this name in it."""
        before: dict[tuple[str, ...], int]
        before, looks = self._ties.get(root, ({}, 0))
        # To look whether a tie still exists is cheap enough for every call.
        self._find_broken_ties(root, before, why)
        if looks >= max_looks:
            return before
        owners: dict[int, list[str]] = {}
        for path, value in _all_parameters(root, shared):
            if value is not None:
                owners.setdefault(id(value), []).append(path)
        ties = {tuple(names): number for number, names in owners.items() if len(names) > 1}
        self._ties[root] = ties, looks + 1
        return ties

    def _find_broken_ties(self, root: Any, ties: dict[tuple[str, ...], int], why: str) -> None:
        for names, number in list(ties.items()):
            values = [_parameter(root, name) for name in names]
            if all(value is not None for value in values) and len({id(value) for value in values}) > 1:
                if not _has_another_head(root, names, number):
                    self._note_broken_tie(root, names, why)
                del ties[names]

    def _note_broken_tie(self, root: Any, names: tuple[str, ...], why: str) -> None:
        self._broken.append((weakref.ref(root), names, why))
        self.resume("step_ended")

    def _report_broken(self) -> None:
        """Report the ties that are still broken when the model is used."""
        for reference, names, why in self._broken:
            root = reference()
            if root is None:
                continue
            parameters = {name: value for name, value in _all_parameters(root) if name in names}
            if len({id(value) for value in parameters.values()}) > 1:
                self.report(
                    LIKELY,
                    f"{names[0]} and {names[-1]} of {type(root).__name__} were one parameter "
                    f"and are two now: {why}",
                    names=list(names),
                )
        self._broken = []


def _parameter(root: Any, path: str) -> Any:
    """The parameter of that name, or None."""
    owner = _owner(root, path)
    return owner._parameters.get(path.rpartition(".")[2]) if owner is not None else None


def _owner(root: Any, path: str) -> Any:
    """The module that has the parameter of that name, or None."""
    for name in path.split(".")[:-1]:
        root = root._modules.get(name) if root is not None else None
    return root


def _has_another_head(root: Any, names: tuple[str, ...], number: int) -> bool:
    """Whether the embedding still has the tied parameter, and the head has a parameter of another size."""
    from torch.nn import Embedding

    tied_names = [name for name in names if id(_parameter(root, name)) == number]
    shapes = {_parameter(root, name).shape for name in names}
    return (
        len(shapes) > 1
        and bool(tied_names)
        and all(is_a(_owner(root, name), Embedding) for name in tied_names)
    )


def _all_parameters(root: Any, shared: Any = None) -> Iterator[tuple[str, Any]]:
    """Path and parameter. A shared parameter comes once for each path; an unset parameter is None."""
    for name, module in named_modules_in(root):
        for key, value in module._parameters.items():
            is_shared = shared is not None and module is shared[0] and key == shared[1]
            yield join_path(name, key), shared[2] if is_shared else value


def _differ(first: Any, second: Any) -> bool:
    import torch

    if first.data_ptr() == second.data_ptr() or first.shape != second.shape:
        return False
    if not is_readable(first) or not is_readable(second):
        return False
    with torch.no_grad():
        values = [tensor.detach().reshape(-1)[:_MAX_ELEMENTS] for tensor in (first, second)]
        return not torch.equal(*values)
