"""DP13: Normalize got an image that is not a tensor yet."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import CERTAIN, Check
from dpkb_audit.checks._transforms import is_normalize
from dpkb_audit.sample_digests import is_image, leaves_of
from dpkb_audit.tensors import is_array, is_tensor


class DP13(Check):
    description = "the inputs of torchvision's Normalize"
    fix = "put ToImage and ToDtype(torch.float32, scale=True) before Normalize"

    def on_module_started(self, module: Any, inputs: Any) -> None:
        image: Any = inputs[0] if inputs else None
        if is_image(image) and is_normalize(module):
            self.report(
                CERTAIN,
                f"Normalize got a PIL image of mode {image.mode}: it normalises tensors",
                fix="put ToTensor, or ToImage and ToDtype, before Normalize",
            )

    def on_module_ended(self, module: Any, inputs: Any, output: Any) -> None:
        if not is_normalize(module, "torchvision.transforms.v2"):
            return
        arrays = [leaf for _, leaf in leaves_of(inputs) if is_array(leaf) and leaf.ndim >= 2]
        # If the image is a tensor, Normalize is right to return a mask unchanged.
        if not arrays or any(is_tensor(leaf) and leaf.dim() >= 2 for _, leaf in leaves_of(inputs)):
            return
        if any(leaf is arrays[0] for _, leaf in leaves_of(output)):
            self.report(
                CERTAIN,
                f"Normalize got a numpy array of shape {tuple(arrays[0].shape)} and returned "
                "it unchanged: it normalises tensors, not arrays",
            )
