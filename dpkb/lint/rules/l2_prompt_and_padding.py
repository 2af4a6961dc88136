"""L2: labels that include the prompt and the padding."""

import ast

from dpkb.lint.nodes import as_constant, is_method_call, last_name, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "labels = input_ids.clone() in a file that pads, and in which no label is set to -100."

_IDS = ("input_ids", "ids", "tokens", "token_ids", "inputs")
# Names that only code about padding has; `padding` and `pad` count as keyword arguments only.
_PAD_NAMES = ("pad_token", "pad_token_id", "pad_id", "pad_sequence")
_PAD_ARGUMENTS = ("padding", "pad", *_PAD_NAMES)


def check(file: SourceFile) -> Findings:
    words = ("ignore_index", "IGNORE_INDEX", "DataCollatorForLanguageModeling")
    if not _pads(file) or file.tree.mentions(file.tree.root, *words) or _sets_ignored_labels(file):
        return
    pairs = [
        (_name_or_key(target), node.value) for node in file.tree.nodes(ast.Assign) for target in node.targets
    ]
    pairs += [
        (as_constant(key), value)
        for node in file.tree.nodes(ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    for name, value in pairs:
        if name in ("labels", "label_ids") and _copies_ids(value):
            yield file.finding(
                "L2",
                value,
                Certainty.LIKELY,
                f"`{text_of(value)}` as labels: the loss also counts padding and prompt tokens",
                "set the labels to -100 where attention_mask is 0, and for the prompt",
            )


def _sets_ignored_labels(file: SourceFile) -> bool:
    """Whether the file has -100 other than in a comparison."""
    return any(
        as_constant(node) == -100 and not isinstance(file.tree.parents.get(node), ast.Compare)
        for node in file.tree.nodes(ast.UnaryOp)
    )


def _pads(file: SourceFile) -> bool:
    """Whether something in the file pads: padding=True, pad_token_id, pad_sequence."""
    return file.tree.mentions(file.tree.root, *_PAD_NAMES) or any(
        keyword.arg in _PAD_ARGUMENTS
        and not (keyword.arg == "padding" and as_constant(keyword.value) is False)
        for keyword in file.tree.nodes(ast.keyword)
    )


def _name_or_key(target: ast.expr) -> object:
    if isinstance(target, ast.Subscript):
        return as_constant(target.slice)
    return target.id if isinstance(target, ast.Name) else None


def _copies_ids(value: ast.expr) -> bool:
    """Whether a value has the ids: input_ids.clone(), batch["input_ids"].copy(), batch["input_ids"]."""
    if is_method_call(value, "clone", "copy", "detach"):
        value = value.func.value
    elif isinstance(value, ast.Name):
        return False
    if isinstance(value, ast.Subscript):
        return bool(as_constant(value.slice) == "input_ids" and not isinstance(value.value, ast.Call))
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Call):
        return False  # the ids of another text: tokenizer(targets).input_ids
    return last_name(value) in _IDS
