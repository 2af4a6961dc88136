"""O15: a mean that counts the padding."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module, root_name, text_of


def check(module: Module) -> Iterator[Finding]:
    """(loss * mask).mean(): zero for the padding, but divided by it."""
    for call in module.method_calls("mean"):
        assert isinstance(call.func, ast.Attribute)
        if call.args or any(keyword.arg == "dim" for keyword in call.keywords):
            continue
        for origin in module.origins(call.func.value):
            if not (isinstance(origin, ast.BinOp) and isinstance(origin.op, ast.Mult)):
                continue
            sides = (text_of(origin.left).lower(), text_of(origin.right).lower())
            has_mask = any(_is_mask(side) for side in (origin.left, origin.right))
            has_loss = any("loss" in side or "nll" in side or "cross_entropy" in side for side in sides)
            if has_mask and has_loss:
                yield module.finding(
                    "O15", call, Certainty.CERTAIN,
                    f"`{text_of(call)}` divides by the padding too: the loss shrinks with the share of "
                    "padding", f"`({text_of(origin)}).sum() / mask.sum().clamp(min=1)`")
                break


def _is_mask(node: ast.expr) -> bool:
    name = root_name(node) or text_of(node)
    last = node.attr if isinstance(node, ast.Attribute) else name
    words = {last.lower(), name.lower()}
    return any(
        word == "mask" or (word.endswith(("_mask", "masks")) and not word.startswith(("roi", "crop")))
        or word.startswith(("attention_mask", "pad_mask", "padding_mask", "loss_mask")) for word in words)
