"""O20: the shapes of a checkpoint do not fit, and the error was caught or avoided by a filter."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.checks._texts import format_shape
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import state_in
from dpkb_audit.tensors import is_tensor
from dpkb_audit.user_code import find_user_line

# A filter by shape is reported if it keeps less than this share of the numbers.
_MIN_KEPT_SHARE = 0.5
# A filter is reported if it leaves out at least this many layers: fewer may be an old head.
_LEFT_OUT_LAYERS = 3
# A filter is reported if it leaves out at least this share of all layers: less may be an old head.
_LEFT_OUT_SHARE = 0.34


class O20(Check):
    description = "the shapes of each state dict that is loaded, against those of the model"
    fix = "leave out the layers that are new by their names, and load everything else with strict=True"

    def prepare(self) -> None:
        # Model whose loading has failed -> the message and the line.
        self._failed = IdentityMap()
        # The shapes in the files that were loaded: key -> shape, for each state dict.
        self._files: list[dict[str, tuple[int, ...]]] = []
        self.pause("step_ended")

    def on_loaded(self, obj: Any, source: Any) -> None:
        for state in checkpoints.model_states_in(obj):
            shapes = {key: tuple(value.shape) for key, value in state.items() if is_tensor(value)}
            # Programs remove this prefix from a state dict that DistributedDataParallel has saved.
            shapes.update({key[7:]: shape for key, shape in shapes.items() if key.startswith("module.")})
            self._files.append(shapes)
        del self._files[:-20]

    def on_state_failed(self, module: Any, state: Any, error: Exception) -> None:
        if "size mismatch" not in str(error):
            return
        own = state_in(module)
        shared = [key for key in own if is_tensor(state.get(key))]
        wrong = [key for key in shared if state[key].shape != own[key].shape]
        if wrong:
            saved, expected = (format_shape(values[wrong[0]].shape) for values in (state, own))
            message = (
                f"{len(wrong)} of {len(own)} tensors have a different shape ({wrong[0]}: {saved} in "
                f"the checkpoint, {expected} in the model), so loading failed, "
                f"after {len(shared) - len(wrong)} tensors had been copied"
            )
            self._failed[module] = message, find_user_line()
            self.resume("step_ended")

    def on_state_loaded(self, module: Any, state: Any, result: Any) -> None:
        self._failed.pop(module, None)
        if not self._files:
            return
        own = state_in(module)
        missing = set(getattr(result, "missing_keys", None) or ())
        # Keys with the model's own tensors count as missing: the program updated its own state_dict().
        missing |= {
            key
            for key, value in state.items()
            if is_tensor(value) and key in own and value.numel() and value.data_ptr() == own[key].data_ptr()
        }
        loaded = {key: value for key, value in state.items() if key not in missing and is_tensor(value)}
        for shapes in self._files:
            # The file has these keys with other shapes, and the loaded tensors come from the file.
            wrong = [
                key
                for key in own
                if key in missing and key in shapes and shapes[key] != tuple(own[key].shape)
            ]
            # If all loaded tensors are the model's own, nothing came from the file.
            fits = all(shapes.get(key) == tuple(value.shape) for key, value in loaded.items())
            if fits and wrong and (loaded or len(wrong) > len(own) / 2):
                total = sum(value.numel() for value in own.values())
                elements = sum(value.numel() for key, value in own.items() if key in loaded)
                layers, left_out = _layers(own), _layers(wrong)
                if elements < _MIN_KEPT_SHARE * total or len(left_out) >= max(
                    _LEFT_OUT_LAYERS, _LEFT_OUT_SHARE * len(layers)
                ):
                    self.report(
                        LIKELY,
                        f"{len(loaded)} of {len(own)} tensors were loaded, {elements / total:.0%} of "
                        f"the numbers: {len(wrong)} have a different shape in the file and were left out "
                        f"({wrong[0]}: {format_shape(shapes[wrong[0]])}, in the model "
                        f"{format_shape(own[wrong[0]].shape)})",
                    )
                    return

    def on_step_ended(self, optimizer: Any) -> None:
        self._report_failures()

    def on_end(self) -> None:
        self._report_failures()

    def _report_failures(self) -> None:
        """Report loading that failed and was not repeated: the program continues with a half-loaded model."""
        for message, where in self._failed.values():
            self.report(CERTAIN, message, where=where)
        self._failed.clear()
        self.pause("step_ended")


def _layers(keys: Any) -> set[str]:
    return {key.rpartition(".")[0] for key in keys}
