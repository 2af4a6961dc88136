"""DP11: an image from OpenCV, blue first, where red is expected first."""

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator

from dpkb.lint.conditions import find_possible_values
from dpkb.lint.library_names import DATASET
from dpkb.lint.nodes import Function, as_constant, find_argument, find_receiver, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = "An image of cv2.imread, or a frame of a video, used as RGB without a swap of its channels."

_READERS = ("cv2.imread", "cv2.imdecode")
# Calls that expect an array to be RGB.
_RGB_FUNCTIONS = (
    "PIL.Image.fromarray",
    "torchvision.transforms.functional.to_tensor",
    "torchvision.transforms.ToTensor",
)
# Calls that keep the order of the channels. The model may have been trained with that order.
_TENSOR_FUNCTIONS = ("torch.from_numpy", "torch.tensor", "torch.as_tensor")
_BGR_WORDS = (
    "bgr",
    "BGR",
    "rgb",
    "RGB",
    "channel_order",
    "to_rgb",
    "IMREAD_GRAYSCALE",
    "swapaxes",
    "IMREAD_UNCHANGED",
    "IMREAD_ANYDEPTH",
    "IMREAD_COLOR_RGB",
    "COLOR_BGR2RGB",
    "COLOR_BGR2GRAY",
    "blobFromImage",
)
_CHANNEL_SWAPS = ("cv2.cvtColor", "cv2.split")
# So many calls and assignments after the read of an image are followed.
_MAX_FOLLOWED = 200
# The mean of ImageNet, red first.
_RGB_MEANS = ((0.485, 0.406), (123.675, 103.53), (123.68, 103.939))
_NO_PHOTO_NAME = re.compile(
    r"mask|label|seg|depth|(?<![a-z])gt|disp|flow|heat|annot|target|gray|trimap|alpha"
)
_ORDER_KEEPING_METHODS = (
    "resize",
    "astype",
    "copy",
    "transpose",
    "reshape",
    "clip",
    "crop",
    "permute",
    "squeeze",
    "unsqueeze",
)


def check(file: SourceFile) -> Findings:
    if "cv2" not in file.scopes.imports.values():
        return
    for call, names in _image_reads(file):
        function = file.tree.function_of(call)
        scope: ast.AST = function if function is not None else file.tree.root
        if _handles_order(file, scope) or any(_NO_PHOTO_NAME.search(name.lower()) for name in names):
            continue
        uses = [(function, call, names), *_uses_of_returned_image(file, call, names)]
        if any(_reaches_rgb(file, *use) for use in uses):
            yield file.finding(
                "DP11",
                call,
                Certainty.LIKELY,
                "OpenCV returns BGR, and nothing here swaps the channels before the image is used as RGB",
                "`image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)`",
            )


def _image_reads(file: SourceFile) -> Iterator[tuple[ast.Call, set[str]]]:
    """The calls that read a colour image, each with the names that the image is assigned to."""
    for call in file.scopes.calls_of(*_READERS):
        flags = find_argument(call, "flags", 1)
        if flags is None or all(
            text_of(item).endswith(("IMREAD_COLOR", "1", "IMREAD_ANYCOLOR", "IMREAD_IGNORE_ORIENTATION"))
            for item in ([flags.left, flags.right] if isinstance(flags, ast.BinOp) else [flags])
        ):
            statement = file.tree.statement_of(call)
            if isinstance(statement, ast.Assign) and statement.value is call:
                yield call, {text_of(item) for item in statement.targets}
            else:
                yield call, set()
    for call in file.scopes.method_calls("read"):  # success, frame = video.read()
        statement = file.tree.statement_of(call)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if (
            isinstance(target, ast.Tuple)
            and len(target.elts) == 2
            and any(
                isinstance(origin, ast.Call) and file.scopes.callee(origin) == "cv2.VideoCapture"
                for origin in file.values.origins(find_receiver(call))
            )
        ):
            yield call, {text_of(target.elts[1])}


@once_per_file
def _handles_order(file: SourceFile, scope: ast.AST) -> bool:
    """Whether code swaps the channels, or mentions their order: image[..., ::-1], image[:, :, [2, 1, 0]]."""
    if file.tree.mentions(scope, *_BGR_WORDS):
        return True
    for node in file.tree.within(scope, ast.Subscript):
        if any(text_of(item).strip("[]()") == "2, 1, 0" for item in ast.walk(node.slice)):
            return True
        # image[:, ::-1, :] mirrors the image, and keeps its channels.
        items = getattr(node.slice, "elts", None) or [node.slice]  # image[()] has no items
        last = items[-1] if len(items) != 2 or as_constant(items[0]) is ... else None
        first = items[0] if len(items) == 3 else None  # the channels of an image that has them first
        if any(isinstance(item, ast.Slice) and isinstance(item.step, ast.UnaryOp) for item in (last, first)):
            return True
    return False


def _uses_of_returned_image(
    file: SourceFile,
    call: ast.Call,
    names: set[str],
) -> Iterator[tuple[Function | None, ast.Call, set[str]]]:
    """The calls of the function that reads and returns an image, each with the names that get the image."""
    function = file.tree.function_of(call)
    returns = file.tree.within(function, ast.Return) if function else []
    is_returned = any(node.value is call or text_of(node.value) in names for node in returns)
    for other in file.definitions.find_calls_of(function) if function and is_returned else []:
        statement, user = file.tree.statement_of(other), file.tree.function_of(other)
        if (
            user is not None
            and isinstance(statement, ast.Assign)
            and statement.value is other
            and not _handles_order(file, user)
        ):
            yield user, other, {text_of(item) for item in statement.targets}


@once_per_file
def _assignments_and_calls(file: SourceFile, scope: ast.AST) -> list[ast.Assign | ast.Call]:
    """Those of a function or a file, in the order in which they run."""
    nodes: list[ast.Assign | ast.Call] = [
        *file.tree.within(scope, ast.Assign),
        *file.tree.within(scope, ast.Call),
    ]
    return sorted(nodes, key=lambda node: (node.lineno, isinstance(node, ast.Assign)))


def _reaches_rgb(file: SourceFile, function: Function | None, call: ast.Call, names: set[str]) -> bool:
    """Whether an image goes to a transform, or becomes a tensor, in the same function."""
    scope: ast.AST = function if function is not None else file.tree.root
    images = set(names)
    # Only cv2 has changed these, so that their channels are certainly in the order of cv2.
    plain = set(names)
    nodes = _assignments_and_calls(file, scope) if names else []
    first = bisect_left(nodes, call.lineno, key=lambda node: node.lineno)
    for node in nodes[first : first + _MAX_FOLLOWED]:
        if node is call or file.tree.statement_of(call) is node:
            continue
        if isinstance(node, ast.Call):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            if any(
                _is_image(file, item, images)
                and _takes_rgb(file, node, call, text_of(item).split(".")[0] in plain)
                for item in arguments
            ):
                return True
            continue
        targets = {text_of(target) for target in node.targets}
        if _is_image(file, node.value, images):
            images |= targets
            if isinstance(node.value, ast.Call) and file.scopes.callee(node.value).startswith("cv2."):
                plain |= targets
            else:
                plain -= targets
        elif any(text_of(inner) in images for inner in ast.walk(node.value)):
            images -= targets  # the call may have swapped the channels
    return False


def _is_image(file: SourceFile, node: ast.expr, images: set[str]) -> bool:
    """Whether an expression is one of the images, with its channels in the same order."""
    if text_of(node) in images:
        return True
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return _is_image(file, node.value, images)
    if isinstance(node, ast.BinOp):
        return _is_image(file, node.left, images)
    if not isinstance(node, ast.Call):
        return False
    callee = file.scopes.callee(node)
    if callee.startswith(("cv2.", "numpy.")) and callee not in _CHANNEL_SWAPS:
        return bool(node.args) and _is_image(file, node.args[0], images)
    return is_method_call(node, *_ORDER_KEEPING_METHODS) and _is_image(file, node.func.value, images)


def _takes_rgb(file: SourceFile, node: ast.Call, read: ast.Call, is_plain: bool) -> bool:
    """Whether a call expects RGB: ToTensor()(image), Image.fromarray(image), the transform of a dataset."""
    callee = file.scopes.callee(node)
    creators = [
        origin for origin in find_possible_values(file, node.func, node) if isinstance(origin, ast.Call)
    ]
    if (
        callee in _RGB_FUNCTIONS
        or is_method_call(node, "ToTensor", "to_tensor")
        or any(
            file.scopes.callee(item) in _RGB_FUNCTIONS
            or (
                file.scopes.callee(item).endswith(".Compose")
                and file.tree.mentions(item, "ToTensor", "ToTensorV2")
                and file.tree.mentions(item, "Normalize", "ToTensor")
            )
            for item in creators
        )
    ):
        return True
    owner = file.definitions.class_of(read)
    return ("transform" in text_of(node.func).lower() and owner is not None and owner.is_a(DATASET)) or (
        callee in _TENSOR_FUNCTIONS and (is_plain or _has_rgb_mean(file))
    )


def _has_rgb_mean(file: SourceFile) -> bool:
    lists: list[ast.List | ast.Tuple] = [*file.tree.nodes(ast.List), *file.tree.nodes(ast.Tuple)]
    return any(
        len(node.elts) == 3 and (as_constant(node.elts[0]), as_constant(node.elts[2])) in _RGB_MEANS
        for node in lists
    )
