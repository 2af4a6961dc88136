"""D40: ranks that draw the same dropout masks for different samples."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.facts import Fact
from dpkb_audit.user_code import find_user_line

# The states of so many backward passes are compared.
_COMPARED_PASSES = 4


class D40(Check):
    description = "the state of torch's CPU generator on each rank, in the first backward passes with dropout"
    fix = "torch.manual_seed(seed + rank) after the model is built; a generator of its own for what ranks must share"

    def prepare(self) -> None:
        # The epoch of the loader, the state of the generator, and the loss of each backward pass.
        self._passes: list[tuple[Any, str, float | None]] = []
        self._drops_out = False

    def on_dropout(self, p: float, training: bool) -> None:
        if training and p > 0:
            self._drops_out = True
            self.pause("dropout")

    def on_backward_started(self, tensors: Any) -> None:
        import torch

        if self.audit.world_size < 2 or not self._drops_out:
            return
        loader = self.training.loader
        epoch = (loader.number, loader.epochs) if loader else None
        if self._passes and self._passes[0][0] != epoch:
            self._passes = []  # the order of an epoch is drawn from the same generator
        state = sha1(torch.get_rng_state().numpy().tobytes()).hexdigest()[:16]
        self._passes.append((epoch, state, self.training.loss))
        if len(self._passes) == _COMPARED_PASSES:
            _, states, losses = zip(*self._passes)
            if len(set(states)) == _COMPARED_PASSES:
                self.note(where=find_user_line(), states=states, losses=losses)
            self.pause("backward_started")

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        ranks = {fact.rank: fact for fact in facts}
        # Equal losses belong to equal samples: that is D36, or one model on all ranks.
        losses, states = [{repr(fact[name]) for fact in ranks.values()} for name in ("losses", "states")]
        if len(losses) == len(ranks) > 1 and len(states) == 1:
            yield cls.finding(
                LIKELY,
                f"torch's generator was in the same state on {len(ranks)} ranks in each of {_COMPARED_PASSES} "
                "steps, which drew dropout masks: these, and all other noise, are equal on all ranks",
                where=min(ranks.items())[1]["where"],
                ranks=sorted(ranks),
            )
