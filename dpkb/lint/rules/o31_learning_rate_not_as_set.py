"""O31: a scheduler that steps in another unit than its arguments have."""

import ast
from itertools import islice

from dpkb.lint.nodes import as_constant, find_argument, find_receiver, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import find_remainder_tests, find_training_steps

LOOKS_FOR = (
    "A scheduler whose arguments count epochs, stepped for each batch; OneCycleLR stepped for each epoch; "
    "StepLR(optimizer, 0.1)."
)

# Schedulers of torch -> the argument that counts steps, its position, and up to which number it can only mean epochs.
_COUNTS = {
    "CosineAnnealingLR": ("T_max", 1, 0),
    "StepLR": ("step_size", 1, 100),
    "MultiStepLR": ("milestones", 1, 300),
    "PolynomialLR": ("total_iters", 1, 0),
    "LinearLR": ("total_iters", 3, 0),
}
_MAX_CALLS = 20
_COUNTS_OF_BATCHES = ("total_steps", "steps_per_epoch")


def check(file: SourceFile) -> Findings:
    for call in file.scopes.calls_of("torch.optim.lr_scheduler.StepLR"):
        size = as_constant(find_argument(call, "step_size", 1))
        if isinstance(size, float) and size < 1:
            yield file.finding(
                "O31",
                call,
                Certainty.LIKELY,
                f"step_size is a number of steps, and is {size} here: the rate changes at no fixed step",
                f"`StepLR(optimizer, step_size=30, gamma={size})`, if {size} is the factor",
            )
    for call in file.scopes.method_calls("step") if find_training_steps(file) else ():
        # A setting may choose among the units: one call for each batch, and one for each epoch.
        if (
            call.args
            or find_remainder_tests(file, call)
            or len(file.scopes.calls_on(text_of(find_receiver(call)), "step")) > 1
        ):
            continue
        for origin in file.values.origins(call.func.value):
            if not isinstance(origin, ast.Call):
                continue
            package, _, name = file.scopes.callee(origin).rpartition(".")
            unit = _unit_of(file, origin, name) if package == "torch.optim.lr_scheduler" else ""
            loops = file.tree.loops_around(call)[:1]
            by_batch, by_epoch = _loops(file)
            if unit == "epochs" and not by_batch.isdisjoint(loops):
                message = (
                    f"steps for each batch, but `{text_of(origin)}` counts epochs: the rate changes too soon"
                )
            elif unit == "batches" and not by_epoch.isdisjoint(loops):
                message = (
                    f"steps for each epoch, but `{text_of(origin)}` counts batches: the rate hardly changes"
                )
            else:
                continue
            yield file.finding(
                "O31", call, Certainty.LIKELY, message, "step in the unit of the arguments, or convert them"
            )
            break


def _unit_of(file: SourceFile, scheduler: ast.Call, name: str) -> str:
    """Whether the arguments of a scheduler count "epochs" or "batches"; "" if that is not seen."""
    if name == "OneCycleLR":
        counts = [find_argument(scheduler, argument) for argument in _COUNTS_OF_BATCHES]
        return (
            "batches"
            if any("len(" in text_of(file.values.only_origin(count)) for count in counts if count)
            else ""
        )
    if name not in _COUNTS:
        return ""
    argument, position, limit = _COUNTS[name]
    count = file.values.only_origin(find_argument(scheduler, argument, position))
    numbers = [as_constant(item) for item in getattr(count, "elts", [count])]
    if numbers and all(isinstance(number, int) and number <= limit for number in numbers):
        return "epochs"
    is_plain = isinstance(count, (ast.Name, ast.Attribute, ast.Subscript))
    return "epochs" if is_plain and "epoch" in text_of(count) and "per_epoch" not in text_of(count) else ""


@once_per_file
def _loops(file: SourceFile) -> tuple[set[ast.AST], set[ast.AST]]:
    """The loops over batches that train, and the loops over epochs around them or around their functions."""
    by_batch: set[ast.AST] = set()
    by_epoch: set[ast.AST] = set()
    for training in find_training_steps(file):
        loop, function = training.block, file.tree.function_of(training.block)
        if isinstance(loop, ast.For) and "epoch" not in text_of(loop.target):
            calls = file.definitions.find_calls_of(function) if function else []
            around = [
                outer
                for node in (loop, *islice(calls, _MAX_CALLS))
                for outer in file.tree.loops_around(node)[:1]
            ]
            by_epoch.update(around)
            by_batch.update([loop] if around else [])
    return by_batch, by_epoch
