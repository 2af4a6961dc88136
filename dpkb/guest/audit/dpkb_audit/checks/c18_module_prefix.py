"""C18: a state dict that is loaded with strict=False, whose keys do not fit because of a prefix."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.modules import state_in
from dpkb_audit.tensors import is_tensor


class C18(Check):
    description = "the keys of each state dict that is loaded, against those of the model"
    fix = "remove the prefix from the front of each key, then load with strict=True"

    def prepare(self) -> None:
        # The keys and shapes of the model's tensors in the file that was loaded last.
        self._file: dict[str, Any] = {}

    def on_loaded(self, obj: Any, source: Any) -> None:
        self._file = {
            key: value.shape
            for state in checkpoints.model_states_in(obj)
            for key, value in state.items()
            if is_tensor(value)
        }

    def on_state_loaded(self, module: Any, state: Any, result: Any) -> None:
        missing = list(getattr(result, "missing_keys", None) or ())
        unexpected = list(getattr(result, "unexpected_keys", None) or ())
        shapes = {key: getattr(state[key], "shape", None) for key in unexpected if key in state}
        if not unexpected and self._file:
            # The program passed on only the keys that fit, perhaps together with the model's own tensors.
            missing = [
                key
                for key, value in state_in(module).items()
                if key not in state or _is_same(state[key], value)
            ]
            shapes = {key: shape for key, shape in self._file.items() if key not in state}
        self._file = {}
        if missing and shapes:
            self._compare(module, missing, shapes, bool(unexpected))

    def on_state_failed(self, module: Any, state: Any, error: Exception) -> None:
        if "in state_dict" in str(error):
            own = state_in(module)
            missing = [key for key in own if key not in state]
            shapes = {key: getattr(value, "shape", None) for key, value in state.items() if key not in own}
            if missing and shapes:
                self._compare(module, missing, shapes, True)

    def _compare(self, module: Any, missing: list[str], shapes: dict[str, Any], passed: bool) -> None:
        """Look for a prefix that explains the missing keys.

        shapes: those of the tensors that were not loaded. passed: whether load_state_dict() got them.
        """
        own, unexpected = state_in(module), list(shapes)
        missing_keys = set(missing)
        pairs: dict[str, list[tuple[str, str]]] = {}
        for key in unexpected[:2000]:
            shape = shapes[key]
            for other, piece in _relatives(key, missing_keys):
                if shape is not None and shape == own[other].shape:
                    pairs.setdefault(piece, []).append((key, other))
                    break
        loaded = len(own) - len(missing)
        if pairs:
            piece, same = max(pairs.items(), key=lambda item: len(item[1]))
            key, other = same[0]
            sure = len(same) >= min(len(missing), len(unexpected)) / 2 or loaded < len(own) / 2
            self.report(
                CERTAIN if sure else LIKELY,
                f"{loaded} of {len(own)} tensors were loaded: {len(same)} of the {len(unexpected)} "
                f"unexpected keys differ from missing ones by {piece!r} only ({key!r} is {other!r} in the "
                "model)",
                loaded=loaded,
                of=len(own),
                missing=len(missing),
                unexpected=len(unexpected),
            )
        elif not loaded and passed:
            self.report(
                LIKELY,
                f"none of the {len(own)} tensors of {type(module).__name__} was loaded: the keys are "
                f"like {unexpected[0]!r}, the model has {missing[0]!r}",
                fix="load the part of the file that is the state dict of this model, with strict=True",
                loaded=0,
                of=len(own),
            )


def _is_same(value: Any, own: Any) -> bool:
    """Whether a tensor is the model's own tensor."""
    return is_tensor(value) and value.device == own.device and value.data_ptr() == own.data_ptr()


def _relatives(key: str, missing_keys: set[str]) -> Any:
    """The missing keys that differ from a key by one added or removed piece, each with that piece."""
    # Remove a prefix of the key; try the shortest first.
    start = key.find(".") + 1
    while start > 0:
        if key[start:] in missing_keys:
            yield key[start:], key[:start]
            return
        start = key.find(".", start) + 1
    for other in missing_keys:
        if len(other) > len(key) and other.endswith("." + key):
            yield other, other[: -len(key)]
            return
    for other in missing_keys:
        extra = len(other) - len(key)
        # A replace() may also have removed a piece in the middle of a name.
        if extra > 1:
            same = 0
            while same < len(key) and key[same] == other[same]:
                same += 1
            if other.endswith(key[same:]) and "." in other[same : same + extra]:
                yield other, other[same : same + extra]
                return
