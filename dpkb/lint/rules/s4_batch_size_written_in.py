"""S4: the configured batch size in place of the size of the batch."""

import ast
import re
from collections.abc import Iterator

from dpkb.lint.classes import ClassInfo
from dpkb.lint.loaders import Loader, find_loaders, loader_of
from dpkb.lint.models import find_nn_module_classes
from dpkb.lint.nodes import Function, called_name, names_in, root_name, text_of
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile

LOOKS_FOR = (
    "A hidden state or a view with self.batch_size or the loader's batch_size, and counts divided by "
    "len(loader) * batch_size."
)

_CREATION_FUNCTIONS = (
    "zeros",
    "ones",
    "rand",
    "randn",
    "empty",
    "full",
    "FloatTensor",
    "Tensor",
    "new_zeros",
    "new_ones",
)
_RESHAPE_METHODS = ("view", "reshape")
_SIZE_NAME = re.compile(r"batch_?size", re.IGNORECASE)
_COUNT_WORD = re.compile(r"correct|acc|hits", re.IGNORECASE)


def check(file: SourceFile) -> Findings:
    uneven = [
        loader
        for loader in find_loaders(file)
        if loader.flag("drop_last") is False
        and not loader.has("batch_sampler")
        and isinstance(loader.value("batch_size"), (ast.Name, ast.Attribute))
    ]
    sizes = {text_of(loader.value("batch_size")) for loader in uneven}
    for info in find_nn_module_classes(file):
        if not file.tree.mentions(file.tree.root, "drop_last"):
            sizes |= {f"self.{name}" for name in _configured_sizes(info)}
        for name, method in info.methods.items():
            if name != "__init__":
                yield from _find_in_method(file, info, method, sizes)
    for loop in file.tree.nodes(ast.For):
        loader = loader_of(file, loop.iter)
        if loader is not None and loader in uneven:
            yield from _find_in_loop(file, loop, text_of(loader.value("batch_size")))
    yield from _find_divided_counts(file, uneven)


def _configured_sizes(info: ClassInfo) -> Iterator[str]:
    """The attributes called batch_size that only __init__ sets, to an argument or a constant."""
    for name, values in info.attributes.items():
        if _SIZE_NAME.fullmatch(name) and all(
            method == "__init__" and isinstance(value, (ast.Name, ast.Attribute, ast.Constant))
            for method, value in values
        ):
            yield name


def _find_in_method(file: SourceFile, info: ClassInfo, method: Function, sizes: set[str]) -> Findings:
    local_names = {parameter.arg for parameter in file.scopes.parameters(method)} | {
        name.id for name in file.tree.within(method, ast.Name) if isinstance(name.ctx, ast.Store)
    }
    for call in file.tree.within(method, ast.Call):
        name = called_name(call)
        if name not in (*_CREATION_FUNCTIONS, *_RESHAPE_METHODS) or text_of(call.func).startswith("np."):
            continue
        size = next((text_of(item) for item in _sizes(call) if text_of(item) in sizes), "")
        if size and size not in local_names and (name in _RESHAPE_METHODS or _is_state(file, info, call)):
            yield _finding(file, call, size)
            return


def _is_state(file: SourceFile, info: ClassInfo, call: ast.Call) -> bool:
    """Whether a call creates the state of a recurrent layer of this class, and not noise."""
    return (
        any(
            file.scopes.callee(value).rpartition(".")[2].startswith(("LSTM", "GRU", "RNN"))
            for values in info.attributes.values()
            for _, value in values
            if isinstance(value, ast.Call)
        )
        and "noise" not in text_of(file.tree.statement_of(call)).lower()
    )


def _find_in_loop(file: SourceFile, loop: ast.For, size: str) -> Findings:
    """images.view(batch_size, -1), and labels of this size in the loss of an output of the model."""
    items = names_in(loop.target)
    for call in file.tree.within(loop, ast.Call):
        sizes = _sizes(call)
        if (
            called_name(call) in _RESHAPE_METHODS
            and sizes
            and text_of(sizes[0]) == size
            and root_name(call) in items
        ):
            yield _finding(file, call, size)
        elif len(call.args) == 2:
            output = [origin for origin in file.values.origins(call.args[0]) if isinstance(origin, ast.Call)]
            if any(items & {root_name(item) for item in _first_call(origin).args} for origin in output):
                labels = [
                    origin
                    for origin in file.values.origins(call.args[1])
                    if isinstance(origin, ast.Call) and file.tree.is_inside(origin, loop)
                ]
                for label in labels:
                    if called_name(label) in _CREATION_FUNCTIONS and (
                        text_of(next(iter(_sizes(label)), None)) == size
                    ):
                        yield _finding(file, label, size)


def _first_call(call: ast.Call) -> ast.Call:
    """The first call of a chain: `model(x)` in `model(x).squeeze(1)`."""
    while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        call = call.func.value
    return call


def _find_divided_counts(file: SourceFile, uneven: list[Loader]) -> Findings:
    """correct / (len(loader) * batch_size)."""
    for node in file.tree.nodes(ast.BinOp):
        product = node.right
        if not (
            isinstance(node.op, ast.Div)
            and _COUNT_WORD.search(text_of(node.left))
            and isinstance(product, ast.BinOp)
            and isinstance(product.op, ast.Mult)
        ):
            continue
        for length, size in ((product.left, product.right), (product.right, product.left)):
            counted = length.args[0] if isinstance(length, ast.Call) and length.args else None
            loader, owner = loader_of(file, counted), text_of(counted)
            if (
                text_of(length).startswith("len(")
                and loader is not None
                and loader in uneven
                and text_of(size) in (text_of(loader.value("batch_size")), f"{owner}.batch_size")
            ):
                yield file.finding(
                    "S4",
                    node,
                    Certainty.LIKELY,
                    f"`{text_of(product)}` is more than the number of samples if the last batch is smaller",
                    f"divide by `len({owner}.dataset)`",
                )


def _sizes(call: ast.Call) -> list[ast.expr]:
    """The sizes that a call gets, which may be in one tuple."""
    return [
        item
        for value in call.args
        for item in (value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value])
    ]


def _finding(file: SourceFile, call: ast.Call, size: str) -> Finding:
    return file.finding(
        "S4",
        call,
        Certainty.LIKELY,
        f"uses the configured `{size}`, but the last batch may be smaller",
        "take the size from the batch: `x.size(0)`",
    )
