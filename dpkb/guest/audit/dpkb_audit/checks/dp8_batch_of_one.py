"""DP8: normalisation over a single value, and an epoch without batches."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.checks._datasets import is_stream
from dpkb_audit.lengths import read_length
from dpkb_audit.object_contents import is_a
from dpkb_audit.records import LoaderRecord


class DP8(Check):
    description = "the values per channel in BatchNorm and GroupNorm, and the batches of each epoch"
    fix = "use drop_last=True on the training loader, or a batch size that leaves no remainder of one"

    def on_module_started(self, module: Any, inputs: Any) -> None:
        import torch
        from torch import nn
        from torch.nn.modules.batchnorm import _BatchNorm

        if not is_a(module, (_BatchNorm, nn.GroupNorm)) or not inputs:
            return
        value = inputs[0]
        if not is_a(value, torch.Tensor) or value.dim() < 2 or not value.numel():
            return
        if is_a(module, nn.GroupNorm):
            values = value[0].numel() // module.num_groups
            if values == 1:
                self.report(
                    CERTAIN,
                    f"GroupNorm has one value per group ({module.num_groups} groups of "
                    f"{tuple(value.shape)}): it returns zeros for every sample",
                    fix="use fewer groups than channels, or LayerNorm",
                    shape=list(value.shape),
                )
        elif module.training and value.numel() // value.shape[1] == 1:
            self.report(
                CERTAIN,
                f"{type(module).__name__} in training mode got one value per channel "
                f"(a batch of shape {tuple(value.shape)})",
                shape=list(value.shape),
            )

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        loader = record.loader
        if record.batch or loader is None or not loader.drop_last or is_stream(loader.dataset):
            return
        length = read_length(loader.dataset)
        if length:
            self.report(
                CERTAIN,
                f"an epoch had no batch: the dataset has {length} samples, batch_size is "
                f"{loader.batch_size}, and drop_last drops the rest",
                where=record.where,
                fix="use a smaller batch size, or drop_last=False",
                samples=length,
            )
