"""DP11: an image in OpenCV's order, blue first, where red is expected first."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.names import DATASET
from dpkb.lint.syntax import Function, argument, text_of

_READERS = ("cv2.imread", "cv2.imdecode")
# What takes an array for RGB.
_EXPECTS_RGB = (
    "PIL.Image.fromarray", "torch.from_numpy", "torch.tensor", "torch.as_tensor",
    "torchvision.transforms.functional.to_tensor", "torchvision.transforms.ToTensor")
_SWAPS = ("cv2.cvtColor", "cv2.split")
_BGR_WORDS = (
    "bgr", "BGR", "rgb", "RGB", "cvtColor", "channel_order", "flip", "to_rgb", "IMREAD_GRAYSCALE",
    "IMREAD_UNCHANGED", "IMREAD_ANYDEPTH", "IMREAD_COLOR_RGB", "swapaxes", "COLOR_BGR2RGB", "COLOR_BGR2GRAY")


def check(module: Module) -> Iterator[Finding]:
    """cv2.imread whose result goes to a transform or a tensor as it is."""
    if "cv2" not in module.imports.values():
        return
    for call in module.calls_of(*_READERS):
        function = module.function_of(call)
        scope: ast.AST = function if function is not None else module.source.tree
        flags = argument(call, "flags", 1)
        if flags is not None and not text_of(flags).endswith(("IMREAD_COLOR", "1", "IMREAD_ANYCOLOR")):
            continue
        if _handles_order(module, scope) or _is_swapped_in_place(module, call):
            continue
        if _reaches_rgb(module, function, call):
            yield module.finding(
                "DP11", call, Certainty.LIKELY,
                "OpenCV reads blue first; nothing here swaps the channels before the image is used as RGB",
                "`image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)`")


def _handles_order(module: Module, scope: ast.AST) -> bool:
    if module.mentions(scope, *_BGR_WORDS):
        return True
    for node in ast.walk(scope):
        if isinstance(node, ast.Slice) and isinstance(node.step, ast.UnaryOp):  # [..., ::-1]
            return True
        if isinstance(node, ast.Subscript) and any(
            text_of(item) == "[2, 1, 0]" for item in ast.walk(node) if isinstance(item, ast.List)):
            return True
    return False


def _is_swapped_in_place(module: Module, call: ast.Call) -> bool:
    return isinstance(module.parents.get(call), ast.Call) and module.called(module.parents[call]) in _SWAPS  # type: ignore[arg-type]


def _reaches_rgb(module: Module, function: Function | None, call: ast.Call) -> bool:
    """The image is given to a transform, or becomes a tensor, in the same function."""
    target = module.statement_of(call)
    names = {text_of(item) for item in target.targets} if isinstance(target, ast.Assign) else set()
    if not names or function is None:
        return False
    for other in module.within(function, ast.Call):
        arguments = [text_of(item) for item in [*other.args, *(keyword.value for keyword in other.keywords)]]
        if not any(name == text or text.startswith(name + ".") for name in names for text in arguments):
            continue
        if any(
            isinstance(node, ast.Assign) and call.lineno < node.lineno < other.lineno
            and isinstance(node.value, ast.Call) and not module.called(node.value).startswith("cv2.")
            and names & {text_of(inner) for target in node.targets for inner in ast.walk(target)}
            for node in module.within(function, ast.Assign)):
            continue  # made into something else before
        called = module.called(other)
        last = other.func.attr if isinstance(other.func, ast.Attribute) else ""
        of_dataset = (
            "transform" in text_of(other.func).lower() and (owner := module.class_of(call))
            and owner.is_a(DATASET))
        if called in _EXPECTS_RGB or of_dataset or last in ("ToTensor", "to_tensor"):
            return True
        if isinstance(other.func, ast.Call) and module.called(other.func) in _EXPECTS_RGB:
            return True
    return False
