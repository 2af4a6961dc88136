"""O33: gradient accumulation that clears or clips the gradients in every micro-batch."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import find_receiver, text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_remainder_tests, find_training_steps

LOOKS_FOR = "step() only in every n-th iteration, but zero_grad() or clipping in each."


def check(file: SourceFile) -> Iterator[Finding]:
    for training in find_training_steps(file):
        loop = training.block
        steps = [
            call for call in training.calls("step") if "sched" not in text_of(find_receiver(call)).lower()
        ]
        # An object that steps in every micro-batch may be the optimizer, even if another steps less often.
        if not steps or not all(_remainder_test(file, call, loop) for call in steps):
            continue
        if _remainder_test(file, training.backward, loop):
            continue
        for call in training.calls("zero_grad", "clip_grad_norm_", "clip_grad_value_"):
            assert isinstance(call.func, ast.Attribute)
            if _remainder_test(file, call, training.block) or _has_guard(file, call, training.block):
                continue
            if call.func.attr == "zero_grad" and text_of(find_receiver(call)) not in {
                text_of(find_receiver(s)) for s in steps
            }:
                continue
            effect = (
                "throws away the gradients of the earlier micro-batches"
                if call.func.attr == "zero_grad"
                else "clips the sum of the gradients again in each micro-batch"
            )
            yield file.finding(
                "O33",
                call,
                Certainty.CERTAIN if call.func.attr == "zero_grad" else Certainty.LIKELY,
                f"{effect}: the optimizer steps only `if {text_of(_remainder_test(file, steps[0], loop))}`",
                "move it next to the step, into the same if",
            )


def _remainder_test(file: SourceFile, call: ast.Call, block: ast.AST) -> ast.expr | None:
    return next((test for test in find_remainder_tests(file, call) if file.tree.is_inside(test, block)), None)


def _has_guard(file: SourceFile, call: ast.Call, block: ast.AST) -> bool:
    return any(file.tree.is_inside(test, block) for test, _ in file.tree.guards(call))
