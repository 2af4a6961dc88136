"""O36: a parameter for which a distribution raises an error."""

import ast

from dpkb.lint import library_names
from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "Normal(mean, scale) whose scale is a plain Parameter or the output of a Linear layer."

_DISTRIBUTIONS = "torch.distributions."
# Distribution -> its parameter that must be positive, and the position of that.
_POSITIVE_PARAMETERS = {
    "Normal": ("scale", 1),
    "LogNormal": ("scale", 1),
    "Laplace": ("scale", 1),
    "Gamma": ("rate", 1),
    "Beta": ("concentration0", 1),
    "Exponential": ("rate", 0),
    "Poisson": ("rate", 0),
}


def check(file: SourceFile) -> Findings:
    for call in file.tree.calls:
        callee = file.scopes.callee(call)
        if not callee.startswith(_DISTRIBUTIONS) or callee.rpartition(".")[2] not in _POSITIVE_PARAMETERS:
            continue
        name, position = _POSITIVE_PARAMETERS[callee.rpartition(".")[2]]
        value = find_argument(call, name, position)
        origins = file.values.origins(value)
        if value is not None and origins and all(_may_be_negative(file, item) for item in origins):
            yield file.finding(
                "O36",
                value,
                Certainty.LIKELY,
                f"nothing keeps `{text_of(value)}` positive during training",
                f"pass `torch.nn.functional.softplus({text_of(value)})`, or exp() of a trained logarithm",
            )


def _may_be_negative(file: SourceFile, node: ast.expr) -> bool:
    """Whether a value is nn.Parameter(...), or the output of a Linear layer."""
    if not isinstance(node, ast.Call):
        return False
    if file.scopes.callee(node) == library_names.PARAMETER:
        return not any(keyword.arg == "requires_grad" for keyword in node.keywords)
    return "torch.nn.Linear" in file.values.types(node.func)
