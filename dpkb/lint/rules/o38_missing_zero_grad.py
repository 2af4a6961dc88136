"""O38: gradients that nothing clears between two steps."""

import ast
import re
from collections.abc import Iterator
from itertools import chain

from dpkb.lint import library_names
from dpkb.lint.models import is_nn_module, model_of_parameters
from dpkb.lint.nodes import FUNCTIONS, MethodCall, find_receiver, group, text_of
from dpkb.lint.phase_names import is_test_file
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile
from dpkb.lint.training_steps import CodeBlock, TrainingStep, find_training_steps

LOOKS_FOR = "backward() and step() of an optimizer in a loop, and no zero_grad() for it in the file."

# A file with one of these clears gradients in another way, or leaves that to a library.
_CLEARING_WORDS = ("set_to_none", "deepspeed", "LightningModule", "LBFGS")
# optimizer, optimiser, optimG, opt, opt_d, d_opt, g_solver.
_OPTIMIZER_NAME = re.compile(r"optim|(^|[._])(opt|solver)(_|$)", re.IGNORECASE)


def check(file: SourceFile) -> Findings:
    clears = file.scopes.method_calls("zero_grad")
    if (
        is_test_file(file)
        or _clears_otherwise(file)
        or (not clears and file.tree.mentions(file.tree.root, "zero_grad"))
    ):
        return
    own = group((text_of(find_receiver(call)), call) for call in clears)

    def calls_for(step: ast.Call) -> Iterator[ast.Call]:
        """The calls that may clear what it steps, those of the same name first: there may be thousands."""
        return chain(own[text_of(_optimizer_of(step))], clears)

    for training in find_training_steps(file):
        # The caller of a function that only steps may clear.
        is_alone = isinstance(training.block, FUNCTIONS) and not any(
            file.tree.function_of(call) is training.block for call in clears
        )
        if is_alone or _is_step_on_purpose(file, training):
            continue
        block, steps = _loop_and_steps(file, training)
        uncleared = [
            step
            for step in steps
            if not any(_clears(file, call, _optimizer_of(step)) for call in calls_for(step))
        ]
        if uncleared:
            yield _uncleared_finding(file, training, uncleared[0])
            continue
        for step in steps if isinstance(block, ast.For) else ():
            # Ends at the first call that clears elsewhere.
            if all(
                _is_just_before(file, call, block) or not _clears(file, call, _optimizer_of(step))
                for call in calls_for(step)
            ):
                optimizer = text_of(_optimizer_of(step))
                yield file.finding(
                    "O38",
                    block,
                    Certainty.LIKELY,
                    f"`{optimizer}` steps in each iteration, but its gradients are cleared only once, before "
                    "the loop",
                    f"`{optimizer}.zero_grad()` at the start of the loop",
                )
                break


def _uncleared_finding(file: SourceFile, training: TrainingStep, step: ast.Call) -> Finding:
    """The finding, at the backward() that belongs to this step."""
    optimizer = text_of(_optimizer_of(step))
    before = max((call.lineno for call in training.calls("step") if call.lineno < step.lineno), default=0)
    backward = min(
        (call for call in training.calls("backward") if before <= call.lineno <= step.lineno),
        key=lambda call: call.lineno,
        default=training.backward,
    )
    return file.finding(
        "O38",
        backward,
        Certainty.LIKELY,
        f"nothing clears the gradients of `{optimizer}`: each step also uses those of all earlier batches",
        f"`{optimizer}.zero_grad()` before backward()",
    )


def _clears_otherwise(file: SourceFile) -> bool:
    """Whether something other than zero_grad() may clear gradients: param.grad = None, a framework ..."""
    return (
        file.tree.mentions(file.tree.root, *_CLEARING_WORDS)
        or any(
            isinstance(target, ast.Attribute) and target.attr == "grad"
            for node in file.tree.nodes(ast.Assign)
            for target in node.targets
        )
        or bool(file.scopes.method_calls("zero_", "zero_gradients"))
    )


def _is_step_on_purpose(file: SourceFile, training: TrainingStep) -> bool:
    """Whether the code takes only one step on purpose: backward(gradient), or a function named as a test."""
    return bool(training.backward.args) or any(
        isinstance(parent, FUNCTIONS) and parent.name.startswith("test")
        for parent in (training.block, *file.tree.parents_of(training.block))
    )


def _loop_and_steps(file: SourceFile, training: TrainingStep) -> tuple[ast.AST, list[MethodCall]]:
    """A loop and the steps of optimizers in it: the loop of backward(), or the one around it."""
    for block in (training.block, *file.tree.loops_around(training.block)[:1]):
        steps = [
            call for call in CodeBlock(file, block).calls("step") if _steps_older_optimizer(file, call, block)
        ]
        if steps:
            return block, steps
    return training.block, []


def _steps_older_optimizer(file: SourceFile, call: ast.Call, block: ast.AST) -> bool:
    """Whether a call steps an optimizer, by its type or name, that the block itself does not create."""
    optimizer = _optimizer_of(call)
    is_optimizer = file.values.is_a(optimizer, library_names.OPTIMIZER) or (
        _OPTIMIZER_NAME.search(text_of(optimizer))
    )
    return bool(is_optimizer) and not any(
        isinstance(origin, ast.Call) and file.tree.is_inside(origin, block)
        for origin in file.values.origins(optimizer)
    )


def _optimizer_of(call: ast.Call) -> ast.expr | None:
    """The optimizer of `optimizer.step()` and of `scaler.step(optimizer)`."""
    receiver = find_receiver(call)
    return call.args[0] if call.args and "scal" in text_of(receiver).lower() else receiver


def _is_just_before(file: SourceFile, call: ast.Call, loop: ast.AST) -> bool:
    """Whether a call is before a loop: in the same function, and in the same outer loops."""
    above: bool = call.lineno < loop.lineno  # type: ignore[attr-defined]
    return (
        above
        and file.tree.function_of(call) is file.tree.function_of(loop)
        and (file.tree.loops_around(call) == file.tree.loops_around(loop))
    )


def _clears(file: SourceFile, call: ast.Call, optimizer: ast.expr | None) -> bool:
    """Whether a call of zero_grad() may clear what an optimizer steps: not if both are known and differ."""
    owner = find_receiver(call)
    if text_of(owner) == text_of(optimizer) or (
        set(file.values.origins(owner)) & set(file.values.origins(optimizer))
    ):
        return True
    if not isinstance(optimizer, (ast.Name, ast.Attribute)):
        return True
    models = _models_of(file, optimizer)
    if isinstance(owner, (ast.Name, ast.Attribute)) and (others := _models_of(file, owner)) and models:
        return any(_may_be_same(file, one, other) for one in models for other in others)
    if _is_optimizer(file, owner):
        return not (models or file.values.is_a(optimizer, library_names.OPTIMIZER))
    return (
        not models
        or not is_nn_module(file, owner)
        or any(_may_be_same(file, model, owner) for model in models)
    )


def _may_be_same(file: SourceFile, one: ast.expr, other: ast.expr | None) -> bool:
    """Whether two models may be the same, or one a part of the other. In other functions names may differ."""
    first, second = text_of(one) + ".", text_of(other) + "."
    return (
        first.startswith(second)
        or second.startswith(first)
        or (
            not (first.startswith("self.") and second.startswith("self."))
            and (other is None or file.tree.function_of(one) is not file.tree.function_of(other))
        )
    )


def _is_optimizer(file: SourceFile, node: ast.expr | None) -> bool:
    """Whether a value is an optimizer by its type, or an item of a list of optimizers."""
    if isinstance(node, ast.Subscript):
        return any(
            isinstance(call, ast.Call)
            and library_names.is_subclass(file.scopes.callee(call), library_names.OPTIMIZER)
            for origin in file.values.origins(node.value)
            for call in ast.walk(origin)
        )
    return file.values.is_a(node, library_names.OPTIMIZER)


def _models_of(file: SourceFile, optimizer: ast.expr) -> list[ast.expr]:
    """The models that an optimizer trains: Adam(net.parameters()), net.optimizer. Empty if not known."""
    if (
        isinstance(optimizer, ast.Attribute)
        and optimizer.attr in ("optimizer", "optim", "opt")
        and text_of(optimizer.value) != "self"
    ):
        return [optimizer.value]
    models = []
    for origin in file.values.origins(optimizer):
        first = origin.args[0] if isinstance(origin, ast.Call) and origin.args else None
        model = model_of_parameters(first)
        if model is None:
            return []
        models.append(model)
    return models
