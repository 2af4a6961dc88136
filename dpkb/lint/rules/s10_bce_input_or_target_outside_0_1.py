"""S10: BCELoss without a sigmoid, and BCEWithLogitsLoss after one."""

import ast

from dpkb.lint.final_layers import certainty_of_loss, find_final_layer
from dpkb.lint.nodes import find_argument
from dpkb.lint.source_file import Findings, SourceFile

LOOKS_FOR = "BCELoss()(linear(x), y), and BCEWithLogitsLoss()(sigmoid(x), y)."

_LOSSES_OF_PROBABILITIES = ("torch.nn.BCELoss", "torch.nn.functional.binary_cross_entropy")
_LOSSES_OF_LOGITS = ("torch.nn.BCEWithLogitsLoss", "torch.nn.functional.binary_cross_entropy_with_logits")


def check(file: SourceFile) -> Findings:
    for call in file.tree.calls:
        prediction = find_argument(call, "input", 0)
        if prediction is None or isinstance(prediction, ast.Starred):
            continue
        if len(call.args) > 1 and (certainty := certainty_of_loss(file, call, _LOSSES_OF_PROBABILITIES)):
            if find_final_layer(file, prediction, "linear", place=call) is not None:
                yield file.finding(
                    "S10",
                    call,
                    certainty,
                    "BCELoss needs probabilities, but the prediction comes from a linear layer",
                    "use BCEWithLogitsLoss, which contains the sigmoid",
                )
        elif certainty := certainty_of_loss(file, call, _LOSSES_OF_LOGITS):
            place = find_final_layer(file, prediction, "sigmoid", place=call)
            if place is not None:
                owner, node = place
                yield owner.finding(
                    "S10",
                    node,
                    certainty,
                    "the loss applies a sigmoid itself: after a second one it never comes near 0",
                    "pass the logits, and use sigmoid only for prediction",
                )
