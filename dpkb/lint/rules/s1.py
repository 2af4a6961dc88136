"""S1: a linear layer for another number of features than it gets."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.nodes import argument

LOOKS_FOR = "nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(32, 2)), whose sizes do not match."

_SAME_WIDTH = (
    "ReLU", "ReLU6", "LeakyReLU", "GELU", "SiLU", "ELU", "SELU", "Tanh", "Sigmoid", "Dropout", "Identity",
    "PReLU", "Softplus", "Hardswish", "Mish", "AlphaDropout", "LogSoftmax", "Softmax")
_WIDTHS = {"BatchNorm1d": "num_features", "LayerNorm": "normalized_shape"}


def check(module: Module) -> Iterator[Finding]:
    for call in module.calls_of("torch.nn.Sequential"):
        width: object = None
        for layer in call.args:
            name = module.callee(layer) if isinstance(layer, ast.Call) else ""
            last = name.rpartition(".")[2]
            if not isinstance(layer, ast.Call) or not library_names.is_subclass(name, library_names.MODULE):
                width = None
            elif last == "Linear" or last in _WIDTHS:
                features = module.constant(argument(layer, _WIDTHS.get(last, "in_features"), 0))
                if isinstance(width, int) and isinstance(features, int) and features != width:
                    yield module.finding(
                        "S1", layer, Certainty.CERTAIN,
                        f"takes {features} features, but the layer before it has {width} outputs",
                        f"write {width} here, or {features} there")
                width = module.constant(argument(layer, "out_features", 1)) if last == "Linear" else width
            elif last not in _SAME_WIDTH:
                width = None
