"""O17: freezing that freezes nothing."""

import ast
import re
from itertools import accumulate

from dpkb.lint import library_names
from dpkb.lint.edits import replace
from dpkb.lint.models import is_nn_module
from dpkb.lint.nodes import as_constant, text_of
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile, once_per_file

LOOKS_FOR = "model.requires_grad = False on a module, and misspelled names such as require_grad."

# The usual names of layers.
_LAYER_NAME = re.compile(
    r"(fc|conv|bn|linear|layer|lstm|gru|classifier|features|backbone|encoder|decoder|stem|bert|resnet|model|net)\d*"
)
# Wrong spellings of requires_grad.
_MISSPELLED_NAME = re.compile(r"(require|required|requries|requiers|reqires)_grads?|requires_grads")
# An expression over which a loop visits layers.
_LAYERS_EXPRESSION = re.compile(r"\.(children\(\)|modules\(\)|layers?|blocks)(\[[^\]]*\])?$")


def check(file: SourceFile) -> Findings:
    for node in file.tree.nodes(ast.Assign):
        targets = node.targets if isinstance(as_constant(node.value), bool) else []
        for target in (item for item in targets if isinstance(item, ast.Attribute)):
            if (
                _MISSPELLED_NAME.fullmatch(target.attr)
                and target.attr not in _read_attributes(file)
                and not file.values.is_a(target.value, library_names.TENSOR)
            ):
                yield file.finding(
                    "O17",
                    node,
                    Certainty.CERTAIN,
                    f"`{target.attr}` is a new attribute that nothing reads: the right name is requires_grad",
                    f"`{text_of(target.value)}.requires_grad = {as_constant(node.value)}`",
                )
            elif target.attr == "requires_grad" and _may_be_module(file, target.value):
                yield _module_attribute_finding(file, node, target.value)


@once_per_file
def _read_attributes(file: SourceFile) -> set[str]:
    """The names of the attributes that the file reads."""
    return {node.attr for node in file.tree.nodes(ast.Attribute) if isinstance(node.ctx, ast.Load)}


def _module_attribute_finding(file: SourceFile, node: ast.Assign, frozen: ast.expr) -> Finding:
    owner, is_certain = text_of(frozen), is_nn_module(file, frozen)
    call = f"{owner}.requires_grad_({as_constant(node.value)})"
    return file.finding(
        "O17",
        node,
        Certainty.CERTAIN if is_certain else Certainty.LIKELY,
        f"only sets an attribute of the module `{owner}`: its parameters stay as they are",
        f"`{call}`",
        [replace(file, node, call) if len(node.targets) == 1 else None],
    )  # if nothing else is trained, backward() fails


def _may_be_module(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value may be a module: `self.encoder`, to which requires_grad is assigned, is no tensor."""
    # The file mentions a weight inside it: model.head.weight or model.head.conv.weight.
    has_weights = isinstance(node, ast.Attribute) and text_of(node) in _owners_of_weights(file)
    if has_weights or is_nn_module(file, node):
        return True
    if any(file.values.is_a(node, kind) for kind in (library_names.TENSOR, library_names.PARAMETER)):
        return False
    # for child in model.children(): child.requires_grad = False
    if isinstance(node, ast.Name):
        return any(
            binding.is_item and _is_layers_expression(file, binding.value)
            for binding in file.scopes.bindings(node)
        )
    return isinstance(node, ast.Attribute) and _LAYER_NAME.fullmatch(node.attr) is not None


@once_per_file
def _is_layers_expression(file: SourceFile, value: ast.expr | None) -> bool:
    return _LAYERS_EXPRESSION.search(text_of(value)) is not None


@once_per_file
def _owners_of_weights(file: SourceFile) -> set[str]:
    """`model`, `model.head` and `model.head.conv` for model.head.conv.weight."""
    return {
        owner
        for attribute in file.tree.nodes(ast.Attribute)
        if attribute.attr in ("weight", "bias")
        for owner in accumulate(text_of(attribute.value).split("."), "{}.{}".format)
    }
