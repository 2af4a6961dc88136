"""P1: GradScaler used in the wrong order, or with a model in float16."""

import ast
import math

from dpkb.lint import library_names
from dpkb.lint.edits import insert_lines
from dpkb.lint.models import find_half_models
from dpkb.lint.nodes import FUNCTIONS, MethodCall, find_argument, find_receiver, last_name, text_of
from dpkb.lint.source_file import Certainty, Edit, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import CodeBlock, TrainingStep, find_training_steps

LOOKS_FOR = "Clipping of scaled gradients, a step without update(), model.half() beside a scaler."

_CLIPPING_FUNCTIONS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_")
# Code with one of these may unscale gradients, or scale the limit of a clipping.
_SCALE_WORDS = ("get_scale", "inv_scale")


def check(file: SourceFile) -> Findings:
    for code in [*find_training_steps(file), *_functions_that_step(file)]:
        if not any(_is_scaler(file, call) for call in code.calls("scale", "step", "update")):
            continue
        yield from _find_scaled_clipping(file, code)
        yield from _find_missing_update(file, code)
        if isinstance(code, TrainingStep):
            yield from _find_steps_without_scaler(file, code)
    has_scaler = find_training_steps(file) and file.scopes.calls_of(library_names.GRAD_SCALER)
    for call in find_half_models(file) if has_scaler else ():
        if file.values.is_a(call.func.value, library_names.NN_MODULE):
            yield file.finding(
                "P1",
                call,
                Certainty.LIKELY,
                "a model in float16 has float16 gradients, which GradScaler cannot unscale",
                "keep the model in float32, and run the forward under torch.autocast",
            )


def _find_steps_without_scaler(file: SourceFile, training: TrainingStep) -> Findings:
    """scaler.scale(loss).backward(), and then optimizer.step() in place of scaler.step(optimizer)."""
    scaled = find_receiver(training.backward)
    if not (
        isinstance(scaled, ast.Call) and text_of(scaled.func).endswith(".scale") and _is_scaler(file, scaled)
    ):
        return
    if _scaler_steps(file) or file.tree.mentions(file.tree.root, "unscale_", *_SCALE_WORDS):
        return
    for call in training.calls("step"):
        owner = find_receiver(call)
        if file.values.is_a(owner, library_names.OPTIMIZER) or (
            text_of(owner).rpartition(".")[2].startswith("opt")
        ):
            yield file.finding(
                "P1",
                call,
                Certainty.CERTAIN,
                "steps with gradients that are still multiplied by the loss scale",
                f"`{text_of(find_receiver(scaled))}.step({text_of(owner)})`",
            )


def _is_scaler(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call is a method of a scaler: by its type, or by its name if the type is not known."""
    owner = find_receiver(call)
    kinds = file.values.types(owner)
    return library_names.GRAD_SCALER in kinds or (
        not kinds and text_of(owner).split(".")[-1].endswith("scaler")
    )


@once_per_file
def _scaler_steps(file: SourceFile) -> list[ast.Call]:
    return [call for call in file.scopes.method_calls("step") if _is_scaler(file, call)]


def _functions_that_step(file: SourceFile) -> list[CodeBlock]:
    """The functions that step with a scaler and have no backward(), in a file that never unscales."""
    functions = {file.tree.function_of(call) for call in _scaler_steps(file) if call.args}
    for training in find_training_steps(file):
        functions.difference_update(file.tree.parents_of(training.backward))
    return (
        [CodeBlock(file, function) for function in functions if function is not None]
        if not file.scopes.method_calls("unscale_")
        else []
    )


def _find_scaled_clipping(file: SourceFile, code: CodeBlock) -> Findings:
    if code.calls("unscale_"):
        return
    names: list[ast.Attribute | ast.Name] = file.tree.within(code.block, ast.Attribute, ast.Name)
    # A program that reads the scale before it clips unscales by itself, or scales the limit.
    reads = min((name.lineno for name in names if last_name(name) in _SCALE_WORDS), default=math.inf)
    scaled = [call for call in code.calls("scale", "step") if _is_scaler(file, call)]
    edit, may_read_scale = _insert_unscale(file, code), _block_may_read_scale(file, code)
    for call in file.tree.within(code.block, ast.Call):
        if (
            file.scopes.callee(call) in _CLIPPING_FUNCTIONS
            and (call.end_lineno or 0) < reads
            and not _is_without_scaler(file, scaled, call)
        ):
            limit = find_argument(call, "max_norm", 1) or find_argument(call, "clip_value")
            is_likely = may_read_scale or any(
                file.tree.mentions(origin, *_SCALE_WORDS) for origin in file.values.origins(limit)
            )
            yield file.finding(
                "P1",
                call,
                Certainty.LIKELY if is_likely else Certainty.CERTAIN,
                "clips gradients that are still multiplied by the loss scale",
                "call `scaler.unscale_(optimizer)` before it",
                [edit],
            )


def _block_may_read_scale(file: SourceFile, code: CodeBlock) -> bool:
    """Whether the function around the code, or one that it calls, reads the scale."""
    block = code.block
    around = block if isinstance(block, FUNCTIONS) else file.tree.block_of(block)
    return any(
        file.tree.mentions(tree, *_SCALE_WORDS)
        for tree in {around, *file.definitions.find_called_functions(block)}
    )


def _insert_unscale(file: SourceFile, code: CodeBlock) -> Edit | None:
    """The edit that adds scaler.unscale_(optimizer) before the first clipping; None if that may fail.

    It fails twice in a step, and after step().
    """
    steps = [step for step in code.calls("step") if _is_scaler(file, step) and len(step.args) == 1]
    calls = file.tree.within(code.block, ast.Call)
    clip = next((call for call in calls if file.scopes.callee(call) in _CLIPPING_FUNCTIONS), None)
    if len(steps) != 1 or clip is None or file.scopes.method_calls("unscale_"):
        return None
    owner, optimizer = text_of(find_receiver(steps[0])), steps[0].args[0]
    first, step = map(file.tree.statement_of, (clip, steps[0]))
    between = file.tree.statements_between(first, step)
    if (
        between is None
        or not isinstance(optimizer, (ast.Name, ast.Attribute))
        or ({owner, text_of(optimizer)} & file.tree.assigned_in(*between))
    ):
        return None
    return insert_lines(file, first, [f"{owner}.unscale_({text_of(optimizer)})"])


def _is_without_scaler(file: SourceFile, scaled: list[MethodCall], call: ast.Call) -> bool:
    """Whether a call is in the branch without the scaler: if use_amp: scaler.step(...) else: clip ..."""
    for test, in_body in file.tree.guards(call):
        own, other = (test.body, test.orelse) if in_body else (test.orelse, test.body)
        in_own, in_other = (file.tree.first(scaled, file.tree.region(block)) for block in (own, other))
        if in_other and not in_own:
            return True
    return False


def _find_missing_update(file: SourceFile, code: CodeBlock) -> Findings:
    for call in code.calls("step"):
        owner = text_of(find_receiver(call))
        if library_names.GRAD_SCALER in file.values.types(find_receiver(call)) and not (
            file.tree.first(file.scopes.calls_on(owner, "update"), code.block)
        ):
            yield file.finding(
                "P1",
                call,
                Certainty.LIKELY,
                f"`{owner}.update()` is never called after `{owner}.step()`",
                f"call `{owner}.update()` once at the end of each step",
            )
