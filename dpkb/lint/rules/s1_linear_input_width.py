"""S1: a linear layer for another number of features than it gets."""

import ast

from dpkb.lint import library_names
from dpkb.lint.nodes import find_argument
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(32, 2)), whose sizes do not match."

_SAME_WIDTH = (
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "GELU",
    "SiLU",
    "ELU",
    "SELU",
    "Tanh",
    "Sigmoid",
    "Dropout",
    "Identity",
    "PReLU",
    "Softplus",
    "Hardswish",
    "Mish",
    "AlphaDropout",
    "LogSoftmax",
    "Softmax",
)
_WIDTHS = {"BatchNorm1d": "num_features", "LayerNorm": "normalized_shape"}


def check(file: SourceFile) -> Findings:
    for call in file.scopes.calls_of("torch.nn.Sequential"):
        width: object = None
        for layer in call.args:
            name = file.scopes.callee(layer) if isinstance(layer, ast.Call) else ""
            last = name.rpartition(".")[2]
            is_layer = library_names.is_subclass(name, library_names.NN_MODULE)
            if not isinstance(layer, ast.Call) or not is_layer:
                width = None
            elif last == "Linear" or last in _WIDTHS:
                features = file.values.constant(find_argument(layer, _WIDTHS.get(last, "in_features"), 0))
                if isinstance(width, int) and isinstance(features, int) and features != width:
                    # For an input of three dimensions, the features of BatchNorm1d are those of the second.
                    certainty = Certainty.LIKELY if last == "BatchNorm1d" else Certainty.CERTAIN
                    yield file.finding(
                        "S1",
                        layer,
                        certainty,
                        f"takes {features} features, but the layer before it has {width} outputs",
                        f"write {width} here, or give the layer before it {features} outputs",
                    )
                if last == "Linear":
                    width = file.values.constant(find_argument(layer, "out_features", 1))
            elif last not in _SAME_WIDTH:
                width = None
