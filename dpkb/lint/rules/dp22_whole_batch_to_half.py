"""DP22: a whole batch cast to half precision, ids and labels included."""

import ast
import re

from dpkb.lint.loaders import loader_of
from dpkb.lint.nodes import find_receiver, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "{k: v.to(torch.float16) for k, v in batch.items()} without a test of the dtype."

_HALF_DTYPES = ("torch.float16", "torch.half", "torch.bfloat16")
_BATCH_NAME = re.compile(r"(\b|_)(batch|inputs?|samples?|encodings?|examples?|features|data)(\b|_)")


def check(file: SourceFile) -> Findings:
    for node in file.tree.nodes(ast.DictComp):
        generator, value = node.generators[0], node.value
        if (
            not generator.ifs
            and text_of(generator.iter).endswith(".items()")
            and _is_batch(file, generator.iter)
            and is_method_call(value, "half", "bfloat16", "to", "type")
            and isinstance(value.func.value, ast.Name)
            and (
                value.func.attr in ("half", "bfloat16")
                or any(_is_half(file, item) for item in [*value.args, *(k.value for k in value.keywords)])
            )
        ):
            yield file.finding(
                "DP22",
                node,
                Certainty.LIKELY,
                "casts token ids and labels as well: they have to stay integers",
                "cast only where value.is_floating_point(), or use torch.autocast",
            )


def _is_batch(file: SourceFile, items: ast.expr) -> bool:
    """Whether the items are those of a batch: by its name, from a tokenizer, or from a loop over a loader."""
    owner = find_receiver(items) if isinstance(items, ast.Call) else None
    name = text_of(owner).lower()
    if _BATCH_NAME.search(name):
        return not any(word in name for word in ("state", "cond", "param"))
    return isinstance(owner, ast.Name) and (
        any("tokenizer" in text_of(origin).lower() for origin in file.values.origins(owner))
        or any(
            binding.is_item and loader_of(file, binding.value) is not None
            for binding in file.scopes.bindings(owner)
        )
    )


def _is_half(file: SourceFile, node: ast.expr) -> bool:
    return any(file.scopes.full_name(origin) in _HALF_DTYPES for origin in [node, *file.values.origins(node)])
