"""DP13: Normalize before the image is a float tensor."""

import ast

from dpkb.lint import library_names
from dpkb.lint.nodes import find_argument
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "Compose([..., Normalize, ..., ToTensor])."

# Geometric and colour transforms, whose result is a PIL image if they get one.
_IMAGE_TRANSFORMS = {
    "Resize",
    "CenterCrop",
    "RandomCrop",
    "RandomResizedCrop",
    "RandomHorizontalFlip",
    "Scale",
    "RandomVerticalFlip",
    "RandomRotation",
    "ColorJitter",
    "Grayscale",
    "RandomGrayscale",
    "Pad",
    "RandomAffine",
    "RandomSizedCrop",
    "AutoAugment",
    "RandAugment",
    "TrivialAugmentWide",
}


def check(file: SourceFile) -> Findings:
    for call in file.scopes.calls_of(*library_names.COMPOSE):
        for origin in file.values.origins(find_argument(call, "transforms", 0)):
            if isinstance(origin, (ast.List, ast.Tuple)):
                yield from _check_order(file, origin.elts)


def _check_order(file: SourceFile, items: list[ast.expr]) -> Findings:
    names = [_transform_name(file, item) for item in items]
    if "Normalize" not in names:
        return
    first = names.index("Normalize")
    before, after = names[:first], names[first + 1 :]
    item = items[first]
    if any(name not in _IMAGE_TRANSFORMS for name in before) or "ToPILImage" in after:
        return  # ToPILImage takes a tensor, so the image is one here
    if "ToTensor" in after or "PILToTensor" in after or "ToImage" in after:
        yield file.finding(
            "DP13",
            item,
            Certainty.CERTAIN,
            "Normalize comes before the transform that converts the image to a tensor",
            "put it after ToTensor(), or after v2.ToImage() and v2.ToDtype(torch.float32, scale=True)",
        )


def _transform_name(file: SourceFile, item: ast.expr) -> str:
    """The name of a torchvision transform; "" for anything else."""
    for origin in file.values.origins(item):
        if isinstance(origin, ast.Call):
            callee = file.scopes.callee(origin)
            if callee.startswith(library_names.TRANSFORMS):
                return callee.rpartition(".")[2]
    return ""
