"""O15: a mean that counts the padding."""

import ast

from dpkb.lint.conditions import find_possible_values
from dpkb.lint.nodes import root_name, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = "(loss * mask).mean(), which also divides by the number of padded elements."

# Words that show that a mask marks padding. With a mask of confident labels the plain mean may be right.
_PADDING_WORDS = ("pad", "attention_mask", "length", "lens", "token", "seq_mask", "ignore_index")

_PADDING_NAMES = (
    "pad_token",
    "pad_id",
    "pad_mask",
    "padding_mask",
    "attention_mask",
    "lengths",
    "seq_len",
    "input_ids",
)


def check(file: SourceFile) -> Findings:
    for call in file.scopes.method_calls("mean"):
        if call.args or any(keyword.arg == "dim" for keyword in call.keywords):
            continue
        for origin in find_possible_values(file, call.func.value, call, 0):
            if not (isinstance(origin, ast.BinOp) and isinstance(origin.op, ast.Mult)):
                continue
            sides = (text_of(origin.left).lower(), text_of(origin.right).lower())
            has_mask = any(_is_mask(side) for side in (origin.left, origin.right))
            has_loss = any("loss" in side or "nll" in side or "cross_entropy" in side for side in sides)
            if has_mask and has_loss:
                padded = _is_padding(file, call, [origin.left, origin.right])
                yield file.finding(
                    "O15",
                    call,
                    Certainty.LIKELY if padded else Certainty.HINT,
                    f"`{text_of(call)}` also divides by the number of padded elements: more padding makes "
                    "the loss smaller",
                    f"`({text_of(origin)}).sum() / mask.sum().clamp(min=1)`",
                )
                break


def _is_mask(node: ast.expr) -> bool:
    name = root_name(node) or text_of(node)
    last = node.attr if isinstance(node, ast.Attribute) else name
    words = {last.lower(), name.lower()}
    return any(
        word == "mask"
        or (word.endswith(("_mask", "masks")) and not word.startswith(("roi", "crop")))
        or word.startswith(("attention_mask", "pad_mask", "padding_mask", "loss_mask"))
        for word in words
    )


def _is_padding(file: SourceFile, call: ast.Call, sides: list[ast.expr]) -> bool:
    """Whether a mask marks padding: by its name, by how it is created, or by other words of the function."""
    for side in sides:
        texts = [text_of(side), *(text_of(origin) for origin in file.values.origins(side))]
        if _is_mask(side) and any(word in text.lower() for text in texts for word in _PADDING_WORDS):
            return True
    return _mentions_padding(file, file.tree.block_of(call))


@once_per_file
def _mentions_padding(file: SourceFile, scope: ast.AST) -> bool:
    return any(word in name.lower() for name in file.tree.words(scope) for word in _PADDING_NAMES)
