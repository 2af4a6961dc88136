"""D8: parameters under DDP that a backward pass does not reach."""

from __future__ import annotations

import weakref
from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.checks._texts import list_names
from dpkb_audit.modules import named_parameters_in

# So many backward passes are looked at in any case.
_FREE_LOOKS = 100


class D8(Check):
    description = "the parameters of a DDP model that have no gradient after a backward pass"
    fix = "use all parameters in the loss, freeze the others, or pass find_unused_parameters=True"

    def prepare(self) -> None:
        # The DDP models that were called since the last backward pass.
        self._called: list[Any] = []
        self._looks = 0
        self.pause("backward_ended")

    def on_ddp_forward(self, ddp: Any) -> None:
        import torch

        if (
            not self.audit.rest.resting
            and torch.is_grad_enabled()
            and self.audit.world_size > 1
            and getattr(ddp, "require_backward_grad_sync", True)
            and not getattr(ddp, "find_unused_parameters", False)
            and not getattr(ddp, "static_graph", False)
            and not any(reference() is ddp for reference in self._called)
        ):
            self._called.append(weakref.ref(ddp))
            self.resume("backward_ended")

    def on_backward_ended(self, tensors: Any) -> None:
        called, self._called = self._called, []
        self._looks += 1
        if self._looks > _FREE_LOOKS and not self.audit.can_look():
            return  # DDP itself raises in its next forward()
        for reference in called:
            ddp = reference()
            if ddp is None:
                continue
            ignored = set(getattr(ddp, "parameters_to_ignore", ()) or ())
            trained = [
                (name, p)
                for name, p in named_parameters_in(ddp.module)
                if p.requires_grad and name not in ignored
            ]
            unreached = [name for name, p in trained if p.grad is None]
            # If it reaches no parameter at all, the loss does not belong to this model.
            if unreached and len(unreached) < len(trained):
                self.report(
                    CERTAIN,
                    f"{len(unreached)} of {len(trained)} parameters of the DDP model have no "
                    f"gradient after backward() ({list_names(unreached)}): DDP waits for them, and averages "
                    "nothing in their bucket",
                    parameters=unreached[:20],
                )
