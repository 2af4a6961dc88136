"""D10: BatchNorm statistics under DDP come from one rank only, although the ranks have different data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.facts import Fact, group_facts
from dpkb_audit.identity import IdentityMap
from dpkb_audit.modules import named_modules_in
from dpkb_audit.object_contents import is_a
from dpkb_audit.tensors import is_readable
from dpkb_audit.user_code import find_user_line

# At most this many layers are followed.
_MAX_LAYERS = 3
# At most this many channels of a layer are read.
_MAX_CHANNELS = 256
# Inputs are read if they have at most this many elements.
_MAX_ELEMENTS = 1 << 20
# The ranks are compared if they had at least this many training passes.
_MIN_PASSES = 5
# The means of two ranks differ if they are this many standard deviations apart, on average over the channels.
_FAR_DEVIATIONS = 0.5


class _Layer:
    """A BatchNorm layer under DDP, and sums of the statistics of its inputs in training."""

    def __init__(self, name: str, broadcast: bool) -> None:
        self.name, self.where = name, find_user_line()
        # Whether DDP broadcasts its statistics from rank 0.
        self.broadcast = broadcast
        # Whether the program merges the statistics of the ranks itself.
        self.merged = False
        self.passes = self.samples = 0
        self.mean: Any = 0
        self.var: Any = 0

    def add(self, value: Any) -> None:
        """Add the statistics of the inputs of one pass."""
        flat = value.detach().float().transpose(0, 1)[:_MAX_CHANNELS].flatten(1)
        self.mean, self.var = self.mean + flat.mean(1), self.var + flat.var(1, unbiased=False)
        self.passes += 1
        self.samples += len(value)


class D10(Check):
    cpu_only = True
    description = "the batch means that BatchNorm layers under DDP see on each rank"
    fix = "use SyncBatchNorm on GPUs or GroupNorm, or merge the statistics of the ranks before validation"

    def prepare(self) -> None:
        self._layers = IdentityMap()
        self.pause("module_started")

    def on_ddp_created(self, ddp: Any) -> None:
        from torch.nn import SyncBatchNorm
        from torch.nn.modules.batchnorm import _BatchNorm

        if self.audit.world_size < 2:
            return
        self.resume("module_started")
        for name, module in named_modules_in(ddp.module):
            if (
                is_a(module, _BatchNorm)
                and not is_a(module, SyncBatchNorm)
                and module.track_running_stats
                and len(self._layers) < _MAX_LAYERS
            ):
                self._layers[module] = _Layer(name, bool(getattr(ddp, "broadcast_buffers", True)))

    def on_collective(self, name: str, group: Any) -> None:
        for layer in self._layers.values():
            if not layer.broadcast and layer.passes > 0 and not layer.merged:
                layer.merged = True
                self.note(merged=True, where=layer.where)

    def on_module_started(self, module: Any, inputs: Any) -> None:
        layer = self._layers.get(module)
        if layer is None or layer.merged or not module.training:
            return
        import torch

        value: Any = inputs[0] if inputs else None
        if (
            not is_a(value, torch.Tensor)
            or not is_readable(value)
            or value.dim() < 2
            or value.numel() > _MAX_ELEMENTS
            or not self.audit.can_look()
        ):
            return
        with torch.no_grad():
            layer.add(value)
        if layer.passes in (_MIN_PASSES, 2 * _MIN_PASSES, 8 * _MIN_PASSES):
            self.note(
                layer=layer.name,
                where=layer.where,
                passes=layer.passes,
                samples=layer.samples,
                mean=[round(x, 6) for x in (layer.mean / layer.passes).tolist()],
                var=[round(x, 6) for x in (layer.var / layer.passes).tolist()],
            )

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        merged = [fact["where"] for fact in facts if "merged" in fact]
        judged = [fact for fact in facts if fact.rank is not None and fact["where"] not in merged]
        for group in group_facts(judged, lambda fact: (fact["where"], fact["layer"], fact["passes"])):
            first = min(group, key=lambda fact: fact.rank or 0)
            for fact in group:
                far = _distance(first, fact)
                noise = 4 * (1 / first["samples"] + 1 / fact["samples"]) ** 0.5
                if far > max(_FAR_DEVIATIONS, noise):
                    yield cls.finding(
                        CERTAIN if far > 2 * _FAR_DEVIATIONS else LIKELY,
                        f"in {fact['passes']} training passes the inputs of "
                        f"{fact['layer'] or 'the BatchNorm layer'} on rank {first.rank} and rank {fact.rank} had "
                        f"means that are {far:.1f} standard deviations apart: the running statistics are those of "
                        "one rank's data",
                        where=fact["where"],
                        layer=fact["layer"],
                    )


def _distance(one: Fact, other: Fact) -> float:
    """The distance between the means of two ranks, in standard deviations of one rank, over all channels."""
    distances = [
        abs(a - b) / ((v + w) / 2) ** 0.5
        for a, b, v, w in zip(one["mean"], other["mean"], one["var"], other["var"])
        if v + w > 1e-8
    ]
    return sum(distances) / len(distances) if distances else 0.0
