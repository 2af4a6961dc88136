"""P1: GradScaler used in the wrong order, or with a model in float16."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.edits import insert_lines
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.nodes import FUNCTIONS, find_argument, find_receiver, last_name, text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import CodeBlock, TrainingStep, find_training_steps

LOOKS_FOR = "Clipping of scaled gradients, a step without update(), model.half() beside a scaler."

_CLIPPING_FUNCTIONS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_")
# Code with one of these may unscale gradients, or scale the limit of a clipping.
_SCALE_WORDS = ("get_scale", "inv_scale")


def check(file: SourceFile) -> Iterator[Finding]:
    for code in [*find_training_steps(file), *_functions_that_step(file)]:
        if not _uses_scaler(file, code):
            continue
        yield from _find_scaled_clipping(file, code)
        yield from _find_missing_update(file, code)
        if isinstance(code, TrainingStep):
            yield from _find_steps_without_scaler(file, code)
    if find_training_steps(file) and file.scopes.has_call_of(library_names.GRAD_SCALER):
        yield from _find_half_models(file)


def _find_half_models(file: SourceFile) -> Iterator[Finding]:
    """model.half() beside a GradScaler."""
    if any(
        file.values.is_a(find_receiver(call), library_names.NN_MODULE)
        or text_of(find_receiver(call)).endswith(".data")
        for call in file.scopes.method_calls("float")
    ):
        return  # the model is converted back to float32
    for call in file.scopes.method_calls("half"):
        if not call.args and file.values.is_a(find_receiver(call), library_names.NN_MODULE):
            yield file.finding(
                "P1",
                call,
                Certainty.LIKELY,
                "a model in float16 has float16 gradients, which GradScaler cannot unscale",
                "keep the model in float32, and run the forward under torch.autocast",
            )


def _find_steps_without_scaler(file: SourceFile, training: TrainingStep) -> Iterator[Finding]:
    """scaler.scale(loss).backward(), and then optimizer.step() in place of scaler.step(optimizer)."""
    scaled = find_receiver(training.backward)
    if not (
        isinstance(scaled, ast.Call) and text_of(scaled.func).endswith(".scale") and _is_scaler(file, scaled)
    ):
        return
    if file.tree.mentions(file.tree.root, "unscale_", *_SCALE_WORDS) or any(
        _is_scaler(file, call) for call in file.scopes.method_calls("step")
    ):
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


def _functions_that_step(file: SourceFile) -> Iterator[CodeBlock]:
    """The functions that step with a scaler and have no backward(), in a file that never unscales."""
    if file.scopes.has_method_call("unscale_"):
        return
    for call in file.scopes.method_calls("step"):
        function = file.tree.function_of(call)
        if (
            function is not None
            and _is_scaler(file, call)
            and call.args
            and not any(
                file.tree.is_inside(training.backward, function) for training in find_training_steps(file)
            )
        ):
            yield CodeBlock(file, function)


def _uses_scaler(file: SourceFile, code: CodeBlock) -> bool:
    return any(_is_scaler(file, call) for call in code.calls("scale", "step", "update"))


def _find_scaled_clipping(file: SourceFile, code: CodeBlock) -> Iterator[Finding]:
    if code.calls("unscale_"):
        return
    for call in file.tree.within(code.block, ast.Call):
        if (
            file.scopes.callee(call) in _CLIPPING_FUNCTIONS
            and not _is_without_scaler(file, code, call)
            and not _reads_scale_before(file, code, call)
        ):
            yield file.finding(
                "P1",
                call,
                Certainty.LIKELY if _may_read_scale(file, code, call) else Certainty.CERTAIN,
                "clips gradients that are still multiplied by the loss scale",
                "call `scaler.unscale_(optimizer)` before it",
                [_insert_unscale(file, code)],
            )


def _reads_scale_before(file: SourceFile, code: CodeBlock, clip: ast.Call) -> bool:
    """Whether the code reads the loss scale before or in a clipping: to unscale, or for a scaled limit."""
    names = file.tree.within(code.block, ast.Attribute, ast.Name)
    return any(last_name(name) in _SCALE_WORDS and name.lineno <= (clip.end_lineno or 0) for name in names)


def _may_read_scale(file: SourceFile, code: CodeBlock, clip: ast.Call) -> bool:
    """Whether the function around the code, one that it calls, or the origin of the limit reads the scale."""
    block = code.block
    trees: list[ast.AST] = [block if isinstance(block, FUNCTIONS) else file.tree.block_of(block)]
    trees += file.definitions.find_called_functions(block)
    trees += file.values.origins(find_argument(clip, "max_norm", 1) or find_argument(clip, "clip_value"))
    return any(file.tree.mentions(tree, *_SCALE_WORDS) for tree in trees)


def _insert_unscale(file: SourceFile, code: CodeBlock) -> Edit | None:
    """The edit that adds scaler.unscale_(optimizer) before the first clipping; None if that may fail.

    It fails twice in a step, and after step().
    """
    steps = [step for step in code.calls("step") if _is_scaler(file, step) and len(step.args) == 1]
    if len(steps) != 1 or file.scopes.has_method_call("unscale_"):
        return None
    owner, optimizer = text_of(find_receiver(steps[0])), steps[0].args[0]
    calls = file.tree.within(code.block, ast.Call)
    clip = next(call for call in calls if file.scopes.callee(call) in _CLIPPING_FUNCTIONS)
    first, step = map(file.tree.statement_of, (clip, steps[0]))
    between = file.tree.statements_between(first, step)
    if (
        between is None
        or not isinstance(optimizer, (ast.Name, ast.Attribute))
        or ({owner, text_of(optimizer)} & file.tree.assigned_in(*between))
    ):
        return None
    return insert_lines(file, first, [f"{owner}.unscale_({text_of(optimizer)})"])


def _is_without_scaler(file: SourceFile, code: CodeBlock, call: ast.Call) -> bool:
    """Whether a call is in the branch without the scaler: if use_amp: scaler.step(...) else: clip ..."""
    scaled = [other for other in code.calls("scale", "step") if _is_scaler(file, other)]
    for test, in_body in file.tree.guards(call):
        own, other = (test.body, test.orelse) if in_body else (test.orelse, test.body)
        in_own, in_other = (
            any(file.tree.is_inside(item, statement) for item in scaled for statement in block)
            for block in (own, other)
        )
        if in_other and not in_own:
            return True
    return False


def _find_missing_update(file: SourceFile, code: CodeBlock) -> Iterator[Finding]:
    for call in code.calls("step"):
        owner = text_of(find_receiver(call))
        if library_names.GRAD_SCALER in file.values.types(find_receiver(call)) and not any(
            text_of(find_receiver(other)) == owner for other in code.calls("update")
        ):
            yield file.finding(
                "P1",
                call,
                Certainty.LIKELY,
                f"`{owner}.update()` is never called after `{owner}.step()`",
                f"call `{owner}.update()` once at the end of each step",
            )
