"""P1: a GradScaler whose methods are called in a wrong order, or gradients that are clipped while scaled."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.user_code import find_user_line


class P1(Check):
    description = "the order in which a GradScaler's methods, clipping and backward passes are called"
    fix = "once per optimizer step: scaler.unscale_, then clipping, scaler.step, scaler.update"

    # Whether the gradients are multiplied by the scale, whether they were clipped in this state, and where.
    _is_scaled = False
    _was_clipped_scaled = False
    _clipping_line: Any = None

    def on_scaler_called(self, name: str, scaler: Any, arguments: Any) -> None:
        if not getattr(scaler, "_enabled", True):
            return
        if name == "scale":
            self._is_scaled = True
        elif name == "unscale_":
            self._is_scaled = False
        elif name == "step":
            # step() calls unscale_ itself, after the clipping.
            if self._was_clipped_scaled:
                self.report(
                    CERTAIN,
                    "gradients were clipped while they were still multiplied by the loss scale: "
                    "a limit of 1 then acts as 1 / scale",
                    where=self._clipping_line,
                    fix="call scaler.unscale_(optimizer) before clipping",
                )
            self._is_scaled = self._was_clipped_scaled = False

    def on_gradients_clipped(self, parameters: Any) -> None:
        if self._is_scaled:
            self._was_clipped_scaled, self._clipping_line = True, find_user_line()

    def on_gradients_zeroed(self, owner: Any) -> None:
        self._was_clipped_scaled = False

    def on_scaler_failed(self, name: str, scaler: Any, error: Exception) -> None:
        text = str(error)
        if isinstance(error, (RuntimeError, ValueError, AssertionError)) and any(
            words in text for words in ("has already been called", "unscale FP16", "No inf checks")
        ):
            self.report(CERTAIN, f"scaler.{name}() raised: {text.splitlines()[0]}")
