"""DP33: image and mask that get different random transforms."""

import ast
import re

from dpkb.lint.conditions import exclude
from dpkb.lint.nodes import called_name, group, last_name, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = "A random flip, crop or rotation that is called for an image, and again for its mask."

_MOVES = re.compile(
    r"Random\w*(Crop|Flip|Rotat|Affine|Perspective|Scale|Zoom)\w*|(Horizontal|Vertical)Flip|(ShiftScale)?Rotate|Affine"
    r"|ElasticTransform|GridDistortion"
)
_TARGET = re.compile(r"mask|label|seg|target|(^|_)gt|truth|annot|clean|depth|hr\b|edge")
# What draws both in the same way, or keeps them together.
_TOGETHER = (
    "manual_seed",
    "set_rng_state",
    "set_state",
    "setstate",
    "get_params",
    "getstate",
    "ReplayCompose",
    "to_deterministic",
)
_DRAWS = ("random", "randint", "uniform", "rand", "choice")


def check(file: SourceFile) -> Findings:
    for function in file.tree.functions:
        if file.tree.mentions(function, *_TOGETHER):
            continue
        by_transform = group(
            (text_of(call.func), (call, last_name(values[0]).lower()))
            for call in file.tree.within(function, ast.Call)
            if len(values := [*call.args, *(keyword.value for keyword in call.keywords)]) == 1
            and file.tree.function_of(call) is function
            and isinstance(call.func, (ast.Name, ast.Attribute))
        )
        for transform, calls in by_transform.items():
            (first, image), *others = calls
            for call, target in others:
                if (
                    _TARGET.search(target)
                    and not _TARGET.search(image)
                    and not exclude(file, first, call)
                    and _moves_at_random(file, call)
                ):
                    yield file.finding(
                        "DP33",
                        call,
                        Certainty.LIKELY,
                        f"`{transform}` draws again for `{target}`, so it is moved in another way than `{image}`",
                        "draw once for both: one call of a v2 or albumentations transform, or get_params()",
                    )


def _moves_at_random(file: SourceFile, call: ast.Call) -> bool:
    """Whether what is called flips, crops or rotates at random."""
    helper = file.definitions.find_function(call.func)
    if helper is not None:
        return _draws(file, helper)
    return any(
        _MOVES.fullmatch(called_name(call))
        for origin in file.values.origins(call.func)
        if isinstance(origin, ast.Call)
        for node in (origin, *(inner for item in origin.args for inner in file.values.origins(item)))
        for call in file.tree.within(node, ast.Call)
    )


@once_per_file
def _draws(file: SourceFile, function: ast.AST) -> bool:
    """Whether a function decides at random, as in `if random.random() < 0.5`."""
    return any(
        isinstance(node, ast.Call) and called_name(node) in _DRAWS
        for test in file.tree.within(function, ast.If)
        for node in ast.walk(test.test)
    )
