"""D10: BatchNorm statistics under DDP that are those of one rank, where the ranks have different data."""

from __future__ import annotations

import weakref

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.digest import is_readable

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

    from dpkb_audit.audit import Audit

# Layers that are followed, channels and elements that are read; training passes before anything is compared.
_MOST_LAYERS, _MOST_CHANNELS, _MOST_ELEMENTS, _PASSES = 3, 256, 1 << 20, 5
# How far, in standard deviations, the means of two ranks have to be apart, on average over the channels.
_FAR = 0.5


class D10(Check):
    watches = "the batch means that BatchNorm layers under DDP see on each rank"
    fix = "use SyncBatchNorm on GPUs or GroupNorm, or merge the statistics of the ranks before validation"

    def __init__(self, audit: Audit) -> None:
        super().__init__(audit)
        self._layers: dict[int, dict[str, Any]] = {}

    def on_ddp_created(self, ddp: Any) -> None:
        from torch.nn import SyncBatchNorm
        from torch.nn.modules.batchnorm import _BatchNorm

        if self.audit.world_size < 2:
            return
        for name, module in ddp.module.named_modules():
            if (isinstance(module, _BatchNorm) and not isinstance(module, SyncBatchNorm)
                    and module.track_running_stats and len(self._layers) < _MOST_LAYERS):
                from dpkb_audit.where import user_line

                self._layers[id(module)] = {
                    "module": weakref.ref(module), "name": name, "where": user_line(),
                    "passes": 0, "samples": 0,
                    "broadcast": bool(getattr(ddp, "broadcast_buffers", True)), "mean": None, "var": None}

    def on_collective(self, name: str) -> None:
        # The program may merge the statistics itself.
        for layer in self._layers.values():
            if not layer["broadcast"] and layer["passes"] > 0:
                layer["passes"] = -1000000
                self.note(merged=True, where=layer["where"])

    def on_module_started(self, module: Any, inputs: Any) -> None:
        layer = self._layers.get(id(module))
        if layer is None or layer["module"]() is not module or not module.training:
            return
        import torch

        given = inputs[0] if inputs else None
        if (not isinstance(given, torch.Tensor) or not is_readable(given) or given.dim() < 2
                or given.numel() > _MOST_ELEMENTS or not self.audit.can_look()):
            return
        with torch.no_grad():
            flat = given.detach().float().transpose(0, 1)[:_MOST_CHANNELS].flatten(1)
            mean, var = flat.mean(1), flat.var(1, unbiased=False)
            layer["mean"] = mean if layer["mean"] is None else layer["mean"] + mean
            layer["var"] = var if layer["var"] is None else layer["var"] + var
        layer["passes"] += 1
        layer["samples"] += len(given)
        passes = layer["passes"]
        if passes in (_PASSES, 2 * _PASSES, 8 * _PASSES):
            self.note(layer=layer["name"], where=layer["where"], passes=passes, samples=layer["samples"],
                      mean=[round(x, 6) for x in (layer["mean"] / passes).tolist()],
                      var=[round(x, 6) for x in (layer["var"] / passes).tolist()])

    @classmethod
    def compare(cls, facts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        groups: dict[tuple[Any, ...], dict[Any, dict[str, Any]]] = {}
        merged = [fact["where"] for fact in facts if fact.get("merged")]
        for fact in facts:
            if fact.get("rank") is not None and fact["where"] not in merged:
                key = str(fact["where"]), fact["layer"], fact["passes"]
                groups.setdefault(key, {})[fact["rank"]] = fact
        reported = set()
        for (where, name, _), by_rank in groups.items():
            for rank, fact in by_rank.items():
                first = by_rank.get(min(by_rank))
                if first is None or first is fact or where in reported:
                    continue
                far = _distance(first, fact)
                noise = 4 * (1 / first["samples"] + 1 / fact["samples"]) ** 0.5
                if far > max(_FAR, noise):
                    reported.add(where)
                    yield cls.finding(
                        CERTAIN if far > 2 * _FAR else LIKELY,
                        f"in {fact['passes']} training passes the inputs of "
                        f"{name or 'the BatchNorm layer'} on rank "
                        f"{first['rank']} and rank {rank} had means that are {far:.1f} standard "
                        "deviations apart: the "
                        "running statistics are those of one rank's data", where=fact["where"], layer=name)


def _distance(one: dict[str, Any], other: dict[str, Any]) -> float:
    """How far two ranks' means are apart, in standard deviations of the data of one rank, over channels."""
    distances = [abs(a - b) / ((v + w) / 2) ** 0.5
                 for a, b, v, w in zip(one["mean"], other["mean"], one["var"], other["var"]) if v + w > 1e-8]
    return sum(distances) / len(distances) if distances else 0.0
