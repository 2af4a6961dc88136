"""P1: GradScaler used in the wrong order, or with a model in float16."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.edits import insert_lines
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.module import Module
from dpkb.lint.nodes import receiver, text_of
from dpkb.lint.training_steps import TrainingStep, training_steps

LOOKS_FOR = "Clipping of scaled gradients, a step without update(), model.half() beside a scaler."


def check(module: Module) -> Iterator[Finding]:
    for training in [*training_steps(module), *_functions_that_step(module)]:
        if not _uses_scaler(module, training):
            continue
        yield from _find_scaled_clipping(module, training)
        yield from _find_missing_update(module, training)
        yield from _find_steps_without_scaler(module, training)
    if training_steps(module) and module.has_call_of(library_names.GRAD_SCALER):
        yield from _find_half_models(module)


def _find_half_models(module: Module) -> Iterator[Finding]:
    """model.half() beside a GradScaler."""
    if any(module.is_a(receiver(call), library_names.MODULE) or text_of(receiver(call)).endswith(".data")
           for call in module.method_calls("float")):
        return  # the model is converted back to float32
    for call in module.method_calls("half"):
        if not call.args and module.is_a(receiver(call), library_names.MODULE):
            yield module.finding(
                "P1", call, Certainty.LIKELY,
                "a model in float16 has float16 gradients, which GradScaler cannot unscale",
                "keep the model in float32, and run the forward under torch.autocast")


def _find_steps_without_scaler(module: Module, training: TrainingStep) -> Iterator[Finding]:
    """scaler.scale(loss).backward(), and then optimizer.step() in place of scaler.step(optimizer)."""
    scaled = receiver(training.backward)
    if not (isinstance(scaled, ast.Call) and text_of(scaled.func).endswith(".scale")
            and _is_scaler(module, scaled)):
        return
    if module.mentions(module.source.tree, "unscale_", "inv_scale", "get_scale") or any(
            _is_scaler(module, call) for call in module.method_calls("step")):
        return
    for call in training.calls("step"):
        owner = receiver(call)
        if module.is_a(owner, library_names.OPTIMIZER) or text_of(owner).rpartition(".")[2].startswith("opt"):
            yield module.finding(
                "P1", call, Certainty.CERTAIN,
                "steps with gradients that are still multiplied by the loss scale",
                f"`{text_of(receiver(scaled))}.step({text_of(owner)})`")


def _is_scaler(module: Module, call: ast.Call) -> bool:
    """Whether a call is a method of a scaler: by its type, or by its name if the type is not known."""
    owner = receiver(call)
    kinds = module.types(owner)
    return library_names.GRAD_SCALER in kinds or (
        not kinds and text_of(owner).split(".")[-1].endswith("scaler"))


def _functions_that_step(module: Module) -> Iterator[TrainingStep]:
    """The functions that step with a scaler and have no backward(), in a file that never unscales."""
    if module.has_method_call("unscale_"):
        return
    for call in module.method_calls("step"):
        function = module.function_of(call)
        if function is not None and _is_scaler(module, call) and call.args and not any(
                module.inside(training.backward, function) for training in training_steps(module)):
            yield TrainingStep(module, function, call)


def _uses_scaler(module: Module, training: TrainingStep) -> bool:
    return any(_is_scaler(module, call) for call in training.calls("scale", "step", "update"))


def _find_scaled_clipping(module: Module, training: TrainingStep) -> Iterator[Finding]:
    if training.calls("unscale_"):
        return
    for call in module.within(training.block, ast.Call):
        if module.callee(call) in (
            "torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_") and not _is_without_scaler(
                module, training, call):
            yield module.finding(
                "P1", call, Certainty.CERTAIN, "clips gradients that are still multiplied by the loss scale",
                "call `scaler.unscale_(optimizer)` before it", [_insert_unscale(module, training, call)])


def _insert_unscale(module: Module, training: TrainingStep, call: ast.Call) -> Edit | None:
    """The edit that adds scaler.unscale_(optimizer), if the block has one scaler.step(optimizer)."""
    steps = [step for step in training.calls("step") if _is_scaler(module, step) and len(step.args) == 1]
    statement = module.statement_of(call)
    around = module.parents.get(statement)
    if len(steps) != 1 or module.parents.get(module.statement_of(steps[0])) is not around:
        return None
    return insert_lines(
        module, statement, [f"{text_of(receiver(steps[0]))}.unscale_({text_of(steps[0].args[0])})"])


def _is_without_scaler(module: Module, training: TrainingStep, call: ast.Call) -> bool:
    """Whether a call is in the branch without the scaler: if use_amp: scaler.step(...) else: clip ..."""
    scaled = [other for other in training.calls("scale", "step") if _is_scaler(module, other)]
    for test, in_body in module.guards(call):
        own, other = (test.body, test.orelse) if in_body else (test.orelse, test.body)
        in_own, in_other = (
            any(module.inside(item, statement) for item in scaled for statement in block)
            for block in (own, other))
        if in_other and not in_own:
            return True
    return False


def _find_missing_update(module: Module, training: TrainingStep) -> Iterator[Finding]:
    for call in training.calls("step"):
        owner = text_of(receiver(call))
        if library_names.GRAD_SCALER in module.types(receiver(call)) and not any(
            text_of(receiver(other)) == owner for other in training.calls("update")):
            yield module.finding(
                "P1", call, Certainty.LIKELY, f"`{owner}.update()` is never called after `{owner}.step()`",
                f"call `{owner}.update()` once at the end of each step")
