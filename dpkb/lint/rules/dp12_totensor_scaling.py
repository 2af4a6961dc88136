"""DP12: ToTensor scales 8-bit images only, and only once."""

import ast
from collections.abc import Iterator

from dpkb.lint.nodes import find_argument, find_receiver, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "ToTensor()(x) / 255, and ToTensor on a float array of 0..255."

_TO_TENSOR = ("torchvision.transforms.ToTensor", "torchvision.transforms.v2.ToTensor")
_FUNCTIONAL = (
    "torchvision.transforms.functional.to_tensor",
    "torchvision.transforms.v2.functional.to_tensor",
)
_ARRAYS = ("numpy.array", "numpy.asarray")
_FLOATS = ("float32", "float64", "float", "float16")


def check(file: SourceFile) -> Findings:
    for node, value, divisor in _divisions(file):
        if file.values.constant(divisor) in (255, 255.0) and _is_scaled(file, value):
            yield file.finding(
                "DP12",
                node,
                Certainty.LIKELY,
                f"`{text_of(node)}` divides again: ToTensor has already scaled an 8-bit image to 0..1",
                "leave out the division",
            )
    for call in file.tree.calls:
        if (
            call.args
            and (_is_to_tensor(file, call) or _is_pipeline(file, call))
            and _is_float_image(file, call.args[0])
        ):
            yield file.finding(
                "DP12",
                call,
                Certainty.LIKELY,
                "ToTensor does not scale a float array: the values stay in 0..255",
                "pass a uint8 array, or divide by 255",
            )


def _divisions(file: SourceFile) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """All divisions, as `x / 255` or `x.div(255)`: the expression, the dividend and the divisor."""
    for node in file.tree.nodes(ast.BinOp):
        if isinstance(node.op, ast.Div):
            yield node, node.left, node.right
    for call in file.scopes.method_calls("div", "div_"):
        value = find_receiver(call)
        if value is not None and len(call.args) == 1:
            yield call, value, call.args[0]


def _is_pipeline(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call runs a pipeline that begins with ToTensor: Compose([ToTensor(), ...])(x)."""
    return any(
        isinstance(items, ast.List) and bool(items.elts) and _creates_to_tensor(file, items.elts[0])
        for origin in file.values.origins(call.func)
        if isinstance(origin, ast.Call) and file.scopes.callee(origin).endswith("transforms.Compose")
        for items in file.values.origins(find_argument(origin, "transforms", 0))
    )


def _creates_to_tensor(file: SourceFile, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and file.scopes.callee(node) in _TO_TENSOR


def _is_to_tensor(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call is ToTensor()(x) or to_tensor(x)."""
    return file.scopes.callee(call) in _FUNCTIONAL or any(
        _creates_to_tensor(file, origin) for origin in file.values.origins(call.func)
    )


def _is_scaled(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value is the result of ToTensor, possibly moved or reshaped after it."""
    while is_method_call(node, "float", "to", "cuda", "unsqueeze", "squeeze"):
        node = node.func.value
    return any(
        isinstance(origin, ast.Call)
        and _is_to_tensor(file, origin)
        and not (origin.args and _is_float_image(file, origin.args[0]))
        for origin in file.values.origins(node)
    )


def _is_float_image(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value is an image converted to floats, as by `.astype(float)`, but not divided by 255."""
    for origin in file.values.origins(node):
        if is_method_call(origin, "astype"):
            value, dtype = origin.func.value, find_argument(origin, "dtype", 0)
        elif isinstance(origin, ast.Call) and file.scopes.callee(origin) in _ARRAYS and origin.args:
            value, dtype = origin.args[0], find_argument(origin, "dtype", 1)
        else:
            continue
        sources = file.values.origins(file.values.value_at(value) or value)
        if (
            text_of(dtype).rpartition(".")[2].strip("'\"") in _FLOATS
            and sources
            and all(_reads_image(file, item) for item in sources)
        ):
            return True
    return False


def _reads_image(file: SourceFile, node: ast.expr) -> bool:
    """Whether an expression reads an image file, and at most converts it to an array."""
    while isinstance(node, ast.Call):
        callee = file.scopes.callee(node)
        if callee in ("PIL.Image.open", "cv2.imread", "cv2.cvtColor", "imageio.imread", "skimage.io.imread"):
            return True
        if callee in _ARRAYS and node.args:
            node = node.args[0]
        elif is_method_call(node, "convert", "resize", "astype"):
            node = node.func.value
        else:
            return False
    return False
