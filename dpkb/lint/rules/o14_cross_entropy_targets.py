"""O14: cross-entropy of probabilities, where it expects logits."""

from dpkb.lint.final_layers import certainty_of_loss, find_final_layer, find_final_layer_of_item
from dpkb.lint.source_file import Findings, SourceFile

LOOKS_FOR = "Softmax before cross-entropy."

_LOSSES = ("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss")


def check(file: SourceFile) -> Findings:
    for call in file.tree.calls:
        certainty = certainty_of_loss(file, call, _LOSSES) if call.args else None
        if certainty is None:
            continue
        place = find_final_layer(file, call.args[0], "softmax", place=call) or find_final_layer_of_item(
            file, call.args[0], "softmax"
        )
        if place is not None:
            owner, node = place
            yield owner.finding(
                "O14",
                node,
                certainty,
                "cross-entropy applies log_softmax itself: with probabilities the loss cannot fall far, "
                "and learning is slow",
                "pass the logits, and use softmax only for prediction",
            )
