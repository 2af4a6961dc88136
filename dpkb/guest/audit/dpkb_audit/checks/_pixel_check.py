"""The pixels that reach a model's first layer; used by DP10 and DP12."""

from __future__ import annotations

import math
from typing import Any

from dpkb_audit.check import Check
from dpkb_audit.identity import IdentityMap
from dpkb_audit.object_contents import is_a
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import leaves_of
from dpkb_audit.tensors import is_readable, is_tensor, read_elements

# At most this many batches of each layer are looked at.
LOOKS = 3
# A plain area or a mask has fewer different values than this, an image has more.
LEVELS = 8


class PixelCheck(Check):
    """Looks at images, or flattened images, that reach a convolution or a linear layer."""

    cpu_only = True

    def prepare(self) -> None:
        # Layer -> the results of its batches that were looked at; None for a batch that could not be read.
        self._looks = IdentityMap()
        # Values of an image of the last batch, for models that flatten it.
        self._pixels = 0

    def look_at_pixels(self, module: Any, channels: list[list[float]], earlier: list[Any]) -> Any:
        """Look at some pixels of each channel. The result is in `earlier` at the next batch of the layer."""
        raise NotImplementedError

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        if record.batch <= LOOKS:
            images = [leaf for _, leaf in leaves_of(batch) if is_tensor(leaf) and _is_image_batch(leaf)]
            self._pixels = images[0][0].numel() if images and len(images[0]) else 0

    def on_module_started(self, module: Any, inputs: Any) -> None:
        from torch import nn

        if not is_a(module, (nn.Conv2d, nn.Linear)) or not inputs or not is_tensor(inputs[0]):
            return
        value = inputs[0]
        if is_a(module, nn.Linear):
            if value.dim() != 2 or value.shape[1] != self._pixels:
                return
        elif not _is_image_batch(value):
            return
        looks = self._looks.setdefault(module, [])
        if len(looks) < LOOKS and value.is_floating_point() and is_readable(value) and self.audit.can_look():
            value = value.detach()
            channels = [read_elements(one) for one in (value.unbind(1) if value.dim() == 4 else [value])]
            is_finite = all(numbers and all(map(math.isfinite, numbers)) for numbers in channels)
            looks.append(self.look_at_pixels(module, channels, looks) if is_finite else None)


def _is_image_batch(value: Any) -> bool:
    return value.dim() == 4 and value.shape[1] in (1, 3, 4) and min(value.shape[2:]) >= 8
