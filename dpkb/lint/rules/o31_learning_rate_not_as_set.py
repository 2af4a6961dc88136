"""O31: a scheduler that steps in another unit than its arguments have."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import Function, as_constant, find_argument, find_receiver, text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import TrainingStep, find_remainder_tests, find_training_steps

LOOKS_FOR = (
    "A scheduler whose arguments count epochs, stepped for each batch; OneCycleLR stepped for each epoch."
)

# Schedulers of torch -> the argument that counts steps, its position, and up to which number it can only mean epochs.
_COUNTS = {
    "CosineAnnealingLR": ("T_max", 1, 0),
    "StepLR": ("step_size", 1, 100),
    "MultiStepLR": ("milestones", 1, 300),
    "PolynomialLR": ("total_iters", 1, 0),
    "LinearLR": ("total_iters", 3, 0),
}
_COUNTS_OF_BATCHES = ("total_steps", "steps_per_epoch")


def check(file: SourceFile) -> Iterator[Finding]:
    trainings = find_training_steps(file)
    for call in file.scopes.method_calls("step") if trainings else ():
        # A setting may choose among the units: one call for each batch, and one for each epoch.
        if (
            call.args
            or find_remainder_tests(file, call)
            or len(file.scopes.calls_on(text_of(find_receiver(call)), "step")) > 1
        ):
            continue
        for origin in file.values.origins(find_receiver(call)):
            package, _, name = (
                file.scopes.callee(origin).rpartition(".") if isinstance(origin, ast.Call) else ("", "", "")
            )
            if not isinstance(origin, ast.Call) or f"{package}.{name}" == library_names.SCHEDULER:
                continue
            unit = _unit_of(file, origin, name) if package == "torch.optim.lr_scheduler" else ""
            if unit == "epochs" and any(_is_for_each_batch(file, call, training) for training in trainings):
                message = (
                    f"steps for each batch, but `{text_of(origin)}` counts epochs: the rate changes too soon"
                )
            elif unit == "batches" and any(
                _is_for_each_epoch(file, call, training) for training in trainings
            ):
                message = f"steps once for each epoch, but `{text_of(origin)}` counts batches: the rate hardly changes"
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
        return "batches" if any("len(" in text_of(_value(file, count)) for count in counts if count) else ""
    if name not in _COUNTS:
        return ""
    argument, position, limit = _COUNTS[name]
    count = _value(file, find_argument(scheduler, argument, position))
    numbers = [as_constant(item) for item in getattr(count, "elts", [count])]
    if numbers and all(isinstance(number, int) and number <= limit for number in numbers):
        return "epochs"
    is_plain = isinstance(count, (ast.Name, ast.Attribute, ast.Subscript))
    return "epochs" if is_plain and "epoch" in text_of(count) and "per_epoch" not in text_of(count) else ""


def _value(file: SourceFile, node: ast.expr | None) -> ast.expr | None:
    origins = file.values.origins(node)
    return origins[0] if len(origins) == 1 else node


def _is_for_each_batch(file: SourceFile, call: ast.Call, training: TrainingStep) -> bool:
    """Whether a call is in the loop over the batches, which is in a loop over epochs."""
    loop = training.block
    return (
        isinstance(loop, ast.For)
        and "epoch" not in text_of(loop.target)
        and file.tree.is_inside(call, loop)
        and file.tree.loops_around(call)[:1] == [loop]
        and bool(file.tree.loops_around(loop) or _loops_that_call(file, file.tree.function_of(loop)))
    )


def _is_for_each_epoch(file: SourceFile, call: ast.Call, training: TrainingStep) -> bool:
    """Whether a call is in a loop around that over the batches, or around a call of its function."""
    loop, around = training.block, file.tree.loops_around(call)[:1]
    return isinstance(loop, ast.For) and (
        file.tree.loops_around(loop)[:1] == around != []
        or (bool(around) and around[0] in _loops_that_call(file, file.tree.function_of(loop)))
    )


def _loops_that_call(file: SourceFile, function: Function | None) -> list[ast.AST]:
    """The loops around the calls of a function."""
    calls = file.scopes.calls_by_name.get(function.name, ()) if function else ()
    return [loop for call in calls for loop in file.tree.loops_around(call)[:1]]
