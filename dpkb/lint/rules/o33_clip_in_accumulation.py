"""O33: gradient accumulation that clears or clips the gradients in every micro-batch."""

import ast

from dpkb.lint.nodes import called_name, find_receiver, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_remainder_tests, find_training_steps

LOOKS_FOR = "step() only in every n-th iteration, but zero_grad() or clipping in each."


def check(file: SourceFile) -> Findings:
    for training in find_training_steps(file):
        loop = training.block
        steps = [
            call for call in training.calls("step") if "sched" not in text_of(find_receiver(call)).lower()
        ]
        # An object that steps in every micro-batch may be the optimizer, even if another steps less often.
        if (
            not steps
            or not all(_remainder_test(file, call, loop) for call in steps)
            or _remainder_test(file, training.backward, loop)
        ):
            continue
        optimizers = {text_of(find_receiver(call)) for call in steps}
        for call in training.calls("zero_grad", "clip_grad_norm_", "clip_grad_value_"):
            clears = called_name(call) == "zero_grad"
            is_guarded = any(file.tree.is_inside(test, loop) for test, _ in file.tree.guards(call))
            if not is_guarded and (text_of(find_receiver(call)) in optimizers or not clears):
                effect = (
                    "throws away the gradients of the earlier micro-batches"
                    if clears
                    else "clips the sum of the gradients again in each micro-batch"
                )
                yield file.finding(
                    "O33",
                    call,
                    Certainty.CERTAIN if clears else Certainty.LIKELY,
                    f"{effect}: the optimizer steps only `if {text_of(_remainder_test(file, steps[0], loop))}`",
                    "move it next to the step, into the same if",
                )


def _remainder_test(file: SourceFile, call: ast.Call, block: ast.AST) -> ast.expr | None:
    return next((test for test in find_remainder_tests(file, call) if file.tree.is_inside(test, block)), None)
