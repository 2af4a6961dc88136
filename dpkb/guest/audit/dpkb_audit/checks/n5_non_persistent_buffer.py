"""N5: a buffer with persistent=False that training changes, or that has random values."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import LIKELY
from dpkb_audit.checks import _module_contents as module_contents
from dpkb_audit.checks._unsaved_state_check import UnsavedCheck
from dpkb_audit.modules import join_path


class N5(UnsavedCheck):
    cpu_only = True
    description = (
        "buffers with persistent=False: whether training changes them, and whether loading restores them"
    )
    fix = "leave out persistent=False, so that the buffer is saved and loaded"
    state_kind = "a buffer with persistent=False"

    def prepare(self) -> None:
        super().prepare()
        # Class and path of a buffer -> its shape, its checksum, and whether its model was loaded.
        self._values: dict[tuple[type, str], tuple[tuple[int, ...], float, Any]] = {}

    def tensors_of(self, root: Any) -> Iterator[tuple[str, Any, Any]]:
        for name, module in module_contents.find_submodules(root):
            if module._buffers and module_contents.is_of_user(type(module)):
                for key in getattr(module, "_non_persistent_buffers_set", ()):
                    if module._buffers.get(key) is not None:
                        yield join_path(name, key), module._buffers[key], module

    def compare_with_others(self, root: Any, states: dict[str, Any]) -> None:
        # Look for buffers that differ between two models of a class, one of which was loaded.
        for path, state in states.items():
            now = state.shape, state.value, weakref.ref(root)
            shape, value, other = self._values.setdefault((type(root), path), now)
            if (
                shape == state.shape
                and value != state.value
                and (root in self._loaded or other() in self._loaded)
            ):
                kind = type(state.holder())
                self.report(
                    LIKELY,
                    f"{path} of {kind.__name__} has different values in this model and "
                    "in the one that was called before, although a state dict was loaded: it is a buffer "
                    "with persistent=False",
                    where=module_contents.find_attribute_line(kind, path),
                )
