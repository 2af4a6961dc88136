"""O32: a scheduler that steps before the updates of its epoch."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.nodes import find_receiver, is_method_call, names_in, text_of
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import (
    TrainingStep,
    find_remainder_tests,
    find_training_blocks,
    find_training_steps,
)

LOOKS_FOR = "scheduler.step() before the loop over the batches, or outside of the if around optimizer.step()."


def check(file: SourceFile) -> Findings:
    for training in find_training_steps(file):
        yield from _find_steps_outside_of_guard(file, training)
    for call in file.scopes.method_calls("step"):
        if _is_scheduler(file, call):
            yield from _find_swapped_calls(file, call)
    yield from _find_in_ignite_handlers(file)
    yield from _find_before_loop(file)
    for loop in file.tree.nodes(ast.For):
        for block in _blocks(loop):
            for early in _early_steps(file, block, _place_of_training(file, loop, block)):
                yield _early_step_finding(file, early, "call it after them, at the end of the loop")


def _find_steps_outside_of_guard(file: SourceFile, training: TrainingStep) -> Findings:
    """scheduler.step() for each batch, and optimizer.step() under `if step % n == 0`."""
    optimizer_steps = [call for call in training.calls("step") if not _is_scheduler(file, call)]
    guards = [find_remainder_tests(file, call) for call in optimizer_steps]
    loops = {file.tree.enclosing(call, ast.For) for call in optimizer_steps}
    for call in training.calls("step") if optimizer_steps and all(guards) else []:
        if (
            _is_scheduler(file, call)
            and loops == {file.tree.enclosing(call, ast.For)}
            and next(file.tree.guards(call), None) is None
        ):
            yield file.finding(
                "O32",
                call,
                Certainty.LIKELY,
                f"`{text_of(call)}` runs for each micro-batch, but the optimizer steps only "
                f"`if {text_of(guards[0][0])}`",
                "move it next to optimizer.step(), into the same if",
            )


def _find_in_ignite_handlers(file: SourceFile) -> Findings:
    """A handler of ignite that steps the scheduler at Events.EPOCH_STARTED."""
    for function in file.tree.functions:
        if any(text_of(item).endswith("Events.EPOCH_STARTED)") for item in function.decorator_list):
            for call in file.tree.within(function, ast.Call):
                if _is_scheduler(file, call):
                    yield _early_step_finding(file, call, "attach it to Events.EPOCH_COMPLETED")


def _early_steps(file: SourceFile, block: list[ast.stmt], place: int) -> Iterator[ast.Call]:
    """The calls of scheduler.step() before the statement at this place of a block, and before any update."""
    for statement in block[:place]:
        early = _single_call(file, statement)
        if early is not None and _is_scheduler(file, early):
            yield early
        if _may_update(file, statement):
            return


def _early_step_finding(file: SourceFile, call: ast.Call, fix: str) -> Finding:
    return file.finding(
        "O32",
        call,
        Certainty.LIKELY,
        f"`{text_of(call)}` comes before the optimizer's updates: the first learning rate is never used",
        fix,
    )


def _find_swapped_calls(file: SourceFile, early: ast.Call) -> Findings:
    """scheduler.step(), if the first optimizer.step() of its block comes after it."""
    statement = file.tree.statement_of(early)
    around = file.tree.parents[statement]
    if isinstance(around, ast.If) and _single_call(file, around) is early:
        statement, around = around, file.tree.parents[around]
    block = file.tree.place_of(statement)[0]
    first = file.tree.first(_optimizer_steps(file), file.tree.region(block))
    other: ast.AST | None = file.tree.first(_optimizer_steps(file), file.tree.rest_of_block(statement))
    if block is not getattr(around, "body", None) or other is None or first is None:
        return
    if not file.tree.is_inside(first, statement) and first is not other:
        return  # it comes before
    while file.tree.parents[other] is not around:
        other = file.tree.parents[other]
    late = _single_call(file, other) if isinstance(other, ast.stmt) else None
    if late is not None:
        yield _early_step_finding(file, early, f"call it after `{text_of(late)}`")


@once_per_file
def _optimizer_steps(file: SourceFile) -> list[ast.Call]:
    return [call for call in file.scopes.method_calls("step") if "optim" in text_of(call).lower()]


def _blocks(loop: ast.For) -> Iterator[list[ast.stmt]]:
    """The body of a loop, and the branches of the if statements in it."""
    yield loop.body
    for statement in loop.body:
        while isinstance(statement, ast.If):
            yield statement.body
            if len(statement.orelse) != 1 or not isinstance(statement.orelse[0], ast.If):
                yield statement.orelse
                break
            statement = statement.orelse[0]


def _single_call(file: SourceFile, statement: ast.stmt) -> ast.Call | None:
    """The call that a statement consists of, also under a plain if: `if scheduler is not None: ...`."""
    if isinstance(statement, ast.If) and len(statement.body) == 1 and not statement.orelse:
        # `if epoch:` and `if not is_first:` leave out the first call.
        names = names_in(statement.test)
        if any(
            not names.isdisjoint(_assigned_in(file, loop)) for loop in file.tree.loops_around(statement)
        ) or any(
            isinstance(node, (ast.Lt, ast.Gt, ast.LtE, ast.GtE, ast.Mod))
            or isinstance(getattr(node, "value", None), int)
            for node in ast.walk(statement.test)
        ):
            return None
        statement = statement.body[0]
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value if isinstance(value, ast.Call) else None


@once_per_file
def _assigned_in(file: SourceFile, loop: ast.stmt) -> set[str]:
    return file.tree.assigned_in(loop)


def _is_scheduler(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call is scheduler.step(), by its type or name, without the epoch as an argument."""
    owner = find_receiver(call)
    if text_of(call.func).rpartition(".")[2] != "step" or call.args or call.keywords:
        return False
    if isinstance(owner, ast.Subscript):
        owner = owner.value
    return file.values.is_a(owner, library_names.SCHEDULER) or (
        "sched" in text_of(owner).rpartition(".")[2].lower()
        and all(isinstance(kind, str) and "sched" in kind.lower() for kind in file.values.types(owner))
    )


def _place_of_training(file: SourceFile, loop: ast.For, block: list[ast.stmt]) -> int:
    """The index of the statement of a loop that trains, itself or by calling train(...); 0 for none."""
    if "epoch" not in text_of(loop.target).lower():
        return _place_of_step(file, loop) if block is loop.body else 0
    for place, statement in enumerate(block):
        if file.tree.first(find_training_blocks(file), statement) or any(
            _trains_an_epoch(call) for call in file.tree.within(statement, ast.Call)
        ):
            return place
    return 0


def _trains_an_epoch(call: ast.Call) -> bool:
    """Whether a call trains an epoch: `train(loader)` or `self.train_epoch()`, but not `model.train()`."""
    name = text_of(call.func).rpartition(".")[2].lower()
    return "train" in name and (bool(call.args or call.keywords) or name.startswith(("train_", "_train_")))


def _find_before_loop(file: SourceFile) -> Findings:
    """scheduler.step() in a function, before the loop over the batches that steps the optimizer."""
    for training in find_training_steps(file):
        if (
            isinstance(training.block, ast.For)
            and isinstance(file.tree.parents.get(training.block), ast.FunctionDef)
            and not all(_is_scheduler(file, call) for call in training.calls("step"))
            and "epoch" not in text_of(training.block.target)
        ):
            for early in _early_steps(file, *file.tree.place_of(training.block)):
                yield _early_step_finding(file, early, "call it after them, at the end of the function")


def _place_of_step(file: SourceFile, loop: ast.For) -> int:
    """The index of the statement of a loop that steps the optimizer; 0 for none."""
    if not file.tree.first(file.scopes.calls_by_name.get("backward", ()), loop):
        return 0
    return next(
        (
            place
            for place, statement in enumerate(loop.body)
            if any(
                "optim" in text_of(find_receiver(call)).lower() and not _is_scheduler(file, call)
                for call in file.tree.within(statement, ast.Call)
                if is_method_call(call, "step")
            )
        ),
        0,
    )


def _may_update(file: SourceFile, statement: ast.stmt) -> bool:
    """Whether a statement may step the optimizer."""
    return any(
        isinstance(node.func, ast.Attribute)
        and (
            (node.func.attr in ("train", "fit") and bool(node.args))
            or (node.func.attr == "step" and not _is_scheduler(file, node))
        )
        for node in file.tree.within(statement, ast.Call)
    )
