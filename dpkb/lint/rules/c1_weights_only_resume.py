"""C1: a checkpoint for resuming that has the model, but not the optimizer."""

import ast
import re
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.nodes import as_constant, find_receiver, text_of
from dpkb.lint.phase_names import is_test_function
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = 'torch.save({"model": ..., "epoch": ...}) without the optimizer\'s state, in a file that resumes.'

# Helpers that save the dict that they get: save_checkpoint({...}), utils.save_on_master({...}).
_SAVE_FUNCTION = re.compile(
    r"save_?(checkpoint|ckpt|state|snapshot|on_master|model|training)\w*|checkpoint_save"
)
_PROGRESS_KEY = re.compile(
    r"((start|global|last|current|cur|total|num|n)_)?(epoch|step|iter|iteration)s?(_num|_idx|_no)?"
)
_OPTIMIZER_NAME = re.compile(r"(.*_)?(optim|optimi[sz]er)s?(_.*)?")


def check(file: SourceFile) -> Findings:
    has_load = file.scopes.calls_of("torch.load")
    if not (has_load or find_training_steps(file)) or not _has_optimizer(file):
        return
    saves = [
        (call, items)
        for call in _saving_calls(file)
        if call.args
        for saved in _saved_values(file, call.args[0])
        if (items := _saved_items(file, saved)) is not None
    ]
    # If a function also saves a dict with the optimizer, the one without it is not for resuming. Nor is the best model,
    # if anything does.
    complete = [file.tree.function_of(call) for call, items in saves if _names_optimizer(items)]
    has_resume_flag = any(
        "resume" in text_of(test.test) for load in has_load for test, _ in file.tree.guards(load)
    )
    for call, items in saves:
        function = file.tree.function_of(call)
        if has_load and _counts(items) and _names_optimizer(items):
            yield from _find_missing_scheduler(file, call, items)
        is_best = function is not None and "best" in function.name and bool(complete)
        if function in complete or is_best or (function is not None and is_test_function(file, function)):
            continue
        weights = next((value for value in items.values() if _are_weights(file, value)), None)
        resumes = _counts(items) or _is_given_optimizer(file, call) or has_resume_flag
        if not has_load:  # the loading is in another file: a saved best score shows that training resumes
            resumes = (
                resumes
                and file.definitions.class_of(call) is not None
                and any(key.startswith("best") for key in items)
                and "__main__" not in file.source.text
            )
        if weights is not None and resumes and not _adds_later(file, file.tree.block_of(call)):
            yield _finding(file, weights)
    if has_load:
        yield from _find_weights_beside_scheduler(file)


def _find_missing_scheduler(file: SourceFile, call: ast.Call, items: dict[str, ast.expr]) -> Findings:
    """A checkpoint with the model, the optimizer and the epoch, in a file whose scheduler starts again at 0."""
    schedulers = [
        other
        for other in file.tree.calls
        if file.scopes.callee(other).startswith("torch.optim.lr_scheduler.")
        and not file.scopes.callee(other).endswith("ReduceLROnPlateau")
    ]
    words = [*items, *(text_of(value) for value in items.values())]
    if (
        schedulers
        and not any("sched" in word.lower() for word in words)
        and not file.tree.mentions(file.tree.root, "last_epoch")
        and file.tree.mentions(file.tree.root, "load_state_dict")
        and not _adds_later(file, file.tree.block_of(call))
        and not any(step.args for step in file.scopes.method_calls("step") if "sched" in text_of(step.func))
        and all(_steps_for_each_epoch(file, other) for other in schedulers)
    ):
        yield file.finding(
            "C1",
            call,
            Certainty.LIKELY,
            "the checkpoint lacks the state of the scheduler: a resumed run starts its schedule again",
            "also save `scheduler.state_dict()`, and load it",
        )


def _steps_for_each_epoch(file: SourceFile, scheduler: ast.Call) -> bool:
    """Whether a scheduler steps once in each loop, and no loop brings it to the epoch of the checkpoint."""
    steps = [
        step
        for step in file.scopes.method_calls("step")
        if scheduler in file.values.origins(find_receiver(step))
    ]
    return len(steps) == 1 and len(file.tree.loops_around(steps[0])) > 0


def _counts(items: dict[str, ast.expr]) -> bool:
    """Whether a checkpoint has the number of the epoch or step."""
    return any(map(_PROGRESS_KEY.fullmatch, items))


def _names_optimizer(items: dict[str, ast.expr]) -> bool:
    words = (word.lower() for word in [*items, *(text_of(value) for value in items.values())])
    return any("opt" in re.split(r"[^a-z]", word) or "optim" in word for word in words)


def _finding(file: SourceFile, node: ast.AST) -> Finding:
    return file.finding(
        "C1",
        node,
        Certainty.LIKELY,
        "the checkpoint lacks the state of the optimizer: a resumed run starts with a fresh optimizer",
        "also save `optimizer.state_dict()` and that of the scheduler, and load both",
    )


def _saved_items(file: SourceFile, saved: ast.expr) -> dict[str, ast.expr] | None:
    """Key -> saved value, for {...} and dict(...), and for later state["epoch"] = ...; None if not known."""
    items: dict[str, ast.expr] = {}
    if isinstance(saved, ast.Dict):
        if any(key is None for key in saved.keys):
            return None
        items = {
            str(as_constant(key)).lower(): value for key, value in zip(saved.keys, saved.values, strict=True)
        }
    elif isinstance(saved, ast.Call) and text_of(saved.func) == "dict" and not saved.args:
        if any(keyword.arg is None for keyword in saved.keywords):
            return None
        items = {str(keyword.arg).lower(): keyword.value for keyword in saved.keywords}
    else:
        return None
    statement = file.tree.statement_of(saved)
    if isinstance(statement, ast.Assign) and statement.value is saved:
        name = text_of(statement.targets[0])
        for assign in file.tree.within(file.tree.scope_of(saved), ast.Assign):
            target = assign.targets[0]
            if isinstance(target, ast.Subscript) and text_of(target.value) == name:
                items[str(as_constant(target.slice)).lower()] = assign.value
    return items


def _are_weights(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is a model or its state_dict(), or a name for one."""
    options = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    if any(file.values.is_a(option, library_names.NN_MODULE) for option in options):
        return True
    origins = [origin for option in options for origin in [option, *file.values.origins(option)]]
    texts = [
        text_of(item.generators[0].iter).removesuffix(".items()")
        if isinstance(item, ast.DictComp)
        else text_of(item)
        for item in origins
    ]
    return any(text.endswith(".state_dict()") and not re.search("optim|sched|scaler", text) for text in texts)


def _find_weights_beside_scheduler(file: SourceFile) -> Findings:
    """Separate files for the weights and the scheduler, and none for the optimizer."""
    for function in file.tree.functions:
        saves = [
            call
            for call in file.tree.within(function, ast.Call)
            if file.scopes.callee(call) == "torch.save" and call.args
        ]
        weights = [call for call in saves if _are_weights(file, call.args[0])]
        if (
            weights
            and not any("optim" in word for word in file.tree.words(function))
            and any("sched" in text_of(call.args[0]) for call in saves if call not in weights)
        ):
            yield _finding(file, weights[0])


def _has_optimizer(file: SourceFile) -> bool:
    """Whether a file creates an optimizer, calls its step(), or gets one as a parameter."""
    return (
        any(
            library_names.is_subclass(file.scopes.callee(call), library_names.OPTIMIZER)
            for call in file.tree.calls
        )
        or any("optim" in text_of(find_receiver(call)).lower() for call in file.scopes.method_calls("step"))
        or any(
            _OPTIMIZER_NAME.fullmatch(node.arg) or "sched" in node.arg for node in file.tree.nodes(ast.arg)
        )
        or any(
            isinstance(target, ast.Name)
            and _OPTIMIZER_NAME.fullmatch(target.id)
            and isinstance(value, (ast.Call, ast.IfExp))
            for _, targets, value in file.tree.assignments
            for target in targets
        )
    )


def _saving_calls(file: SourceFile) -> list[ast.Call]:
    helpers = [name for name in file.scopes.calls_by_name if _SAVE_FUNCTION.fullmatch(name)]
    return file.scopes.calls_of("torch.save") + [
        call
        for name in helpers
        for call in file.scopes.calls_by_name[name]
        if call.args and isinstance(call.args[0], (ast.Dict, ast.Name))
    ]


def _saved_values(file: SourceFile, value: ast.expr) -> Iterator[ast.expr]:
    """The expressions that may be saved; of a call, what the called function returns."""
    for origin in file.values.origins(value):
        yield origin
        function = file.definitions.find_function(origin.func) if isinstance(origin, ast.Call) else None
        for node in file.tree.within(function, ast.Return) if function else []:
            yield from file.values.origins(node.value)


def _is_given_optimizer(file: SourceFile, call: ast.Call) -> bool:
    """Whether the function that saves has a parameter for the optimizer."""
    function = file.tree.function_of(call)
    return function is not None and any("optim" in item.arg for item in file.scopes.parameters(function))


@once_per_file
def _adds_later(file: SourceFile, scope: ast.AST) -> bool:
    """Whether a function assigns the optimizer's state to a key: state["optimizer"] = ..."""
    return any(
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and "optim" in text_of(node.slice)
        for node in file.tree.subtree(scope)
    )
