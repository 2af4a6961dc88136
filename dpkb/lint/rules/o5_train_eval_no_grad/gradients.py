"""Evaluation that builds a graph: the model is in eval mode, and gradients are on. A part of O5."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from dpkb.lint.evaluation import find_mode_calls
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.gradients import (
    NO_GRAD,
    graph_is_dropped,
    has_gradients,
    is_without_gradients,
    requires_gradients,
    switches_gradients,
    wants_gradients,
)
from dpkb.lint.models import find_first_model_call, find_model_run_by, runs_of
from dpkb.lint.nodes import Function, as_constant, find_argument, find_receiver, names_in, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.program_tests import is_test_file, is_test_function
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_training_steps

# Methods of a model that compute its outputs or its loss.
_PREDICTION_METHODS = ("predict", "forward", "loss", "compute_loss", "calculate_loss")
_EVALUATION_WORD = re.compile(r"(?<![a-zA-Z])(val|valid|validation|test|dev|eval|evaluation)(?![a-z])", re.I)


def find_evaluation_with_gradients(file: SourceFile) -> Iterator[Finding]:
    """A loop that runs the model for each batch with gradients, in an evaluation or after model.eval()."""
    calls = list(_runs_in_evaluation(file))
    calls += _runs_after_eval(file, [call for call, _ in calls])
    calls += _runs_in_function_for_both(file)
    calls += _runs_in_loop_for_both(file)
    for call, where in calls:
        yield file.finding(
            "O5",
            call,
            Certainty.LIKELY,
            f"{where} builds a graph for each batch: nothing switches off gradients"
            + (
                ", since `volatile` has no effect from torch 0.4 on"
                if file.tree.mentions(file.tree.block_of(call), "volatile")
                else ""
            ),
            "put the loop under `with torch.no_grad():`",
        )


def _runs_in_evaluation(file: SourceFile) -> Iterator[tuple[ast.Call, str]]:
    """The calls of models in a loop and with gradients, in functions that evaluate by their name."""
    for function in file.tree.functions:
        if (
            is_training_name(function.name) is not False
            or is_test_function(file, function)
            or _sets_gradients(file, function)
        ):
            continue
        switches = [
            call
            for call in file.tree.within(function, ast.Call)
            if isinstance(call.func, ast.Attribute) and call.func.attr == "eval" and not call.args
        ]
        if (
            switches
            and find_mode_calls(file, function, "train")
            and all(any(file.tree.guards(call)) for call in switches)
        ):
            continue  # an argument of it decides whether it trains
        switched = {text_of(find_receiver(call)) for call in switches}
        loops = {
            loop: run
            for loop in file.tree.within(function, ast.For)
            if (run := _model_run_in(file, loop, switched)) is not None
        }
        if not loops or (
            not switches
            and not (
                _is_called_by_training(file, function)
                and any(find_model_run_by(file, loop, into_helpers=False) is not None for loop in loops)
            )
        ):
            continue
        call = next(iter(loops.values()))
        helper = file.definitions.find_function(call.func)
        if helper is None or not any(
            switches_gradients(file, inner)
            for inner in (helper, *file.definitions.find_called_functions(helper))
        ):
            yield call, f"`{function.name}`"


def _sets_gradients(file: SourceFile, function: Function) -> bool:
    """Whether a function needs gradients, or they are switched off in it or around it."""
    # A method such as validation_step() is called by a trainer, which switches them off.
    is_hook = file.definitions.class_of_method(function) is not None and "step" in function.name
    return (
        is_hook
        or bool(function.decorator_list)
        or file.tree.mentions(function, *NO_GRAD, "backward", "grad")
        or requires_gradients(file, function)
        # with eval_mode(model):
        or any(
            "eval" in text_of(item.context_expr)
            for block in file.tree.within(function, ast.With)
            for item in block.items
        )
        or _is_called_without_gradients(file, function)
    )


def _model_run_in(file: SourceFile, loop: ast.For, switched: set[str]) -> ast.Call | None:
    if text_of(loop.iter).startswith("range("):
        return _run_by_number(file, loop, switched)
    return find_first_model_call(file, loop) or next(
        (
            call
            for call in file.tree.within(loop, ast.Call)
            if text_of(find_receiver(call)) in switched
            and isinstance(call.func, ast.Attribute)
            and (
                call.func.attr in _PREDICTION_METHODS or call.func.attr.startswith(("calculate_", "compute_"))
            )
        ),
        None,
    )


def _run_by_number(file: SourceFile, loop: ast.For, switched: set[str]) -> ast.Call | None:
    """The run of a model in `for batch in range(n): model(data[batch * size:])`, a loop over batches."""
    numbers = names_in(loop.target)
    uses_number = any(
        inner.id in numbers
        for statement in loop.body
        for node in file.tree.within(statement, ast.Subscript, ast.BinOp, ast.Call)
        for inner in file.tree.within(node, ast.Name)
    )
    if not uses_number or find_mode_calls(file, loop, "eval"):
        return None
    return next((call for name in sorted(switched) for call in runs_of(file, loop, name)), None)


def _runs_after_eval(file: SourceFile, known: list[ast.Call]) -> Iterator[tuple[ast.Call, str]]:
    """The calls of models in a loop after model.eval() in the same block, if their results are only read."""
    if file.tree.mentions(file.tree.root, "set_grad_enabled") or is_test_file(file):
        return
    is_program = _is_program(file)
    for name, switch in find_mode_calls(file, file.tree.root, "eval"):
        region = _statements_until_train(file, switch, name)
        if any(wants_gradients(file, statement) for statement in region):
            continue
        loops = [
            loop
            for statement in region
            for loop in file.tree.within(statement, ast.For)
            # range(steps) counts steps: it is no loop over data
            if not text_of(loop.iter).startswith("range(") or "len(" in text_of(loop.iter)
        ]
        if not loops and file.tree.loops_around(switch):
            loops = [
                loop
                for loop in file.tree.loops_around(switch)[:1]
                if isinstance(loop, ast.For)
                and (file.tree.mentions(loop, "backward") or is_training_name(text_of(loop.iter)) is False)
            ]
        for loop in loops:
            never_trains = (
                is_program
                or file.tree.mentions(loop, "volatile")
                or is_training_name(text_of(loop.iter)) is False
            )
            call = next(
                (
                    call
                    for call in runs_of(file, loop, name)
                    if has_gradients(file, call)
                    and call.lineno > switch.lineno
                    and any(file.tree.is_inside(call, statement) for statement in region)
                    and (never_trains or graph_is_dropped(file, loop, call, strict=False))
                ),
                None,
            )
            if (
                call is None
                or any(file.tree.is_inside(call, loop) for call in known)
                or _is_frozen(file, name)
                or _class_switches_gradients(file, call, name)
            ):
                continue
            yield call, f"the loop over `{text_of(loop.iter)}`"
            break


def _runs_in_function_for_both(file: SourceFile) -> Iterator[tuple[ast.Call, str]]:
    """The calls of models in run_epoch(loader, train=False), in which only backward() is under `if train`."""
    for training in find_training_steps(file):
        function = file.tree.function_of(training.backward)
        flag = next(
            (
                test.test.id
                for test, in_body in file.tree.guards(training.backward)
                if in_body and isinstance(test.test, ast.Name)
            ),
            "",
        )
        if function is None or not flag or file.tree.mentions(function, "set_grad_enabled", "requires_grad"):
            continue
        position = next(
            (
                number
                for number, parameter in enumerate(file.scopes.parameters(function))
                if parameter.arg == flag
            ),
            None,
        )
        calls = [
            call
            for call in file.scopes.calls_by_name.get(function.name, [])
            if position is not None
            and (value := find_argument(call, flag, position - isinstance(call.func, ast.Attribute)))
            is not None
            and as_constant(value) is False
        ]
        if not calls or not all(has_gradients(file, call) for call in calls):
            continue
        call = find_first_model_call(file, training.block, into_helpers=False)
        if (
            call is not None
            and has_gradients(file, call)
            and not any(text_of(test.test) == flag for test, _ in file.tree.guards(call))
        ):
            yield call, f"`{function.name}` with `{flag}=False`"


def _runs_in_loop_for_both(file: SourceFile) -> Iterator[tuple[ast.Call, str]]:
    """The calls of models in `for split in ("train", "valid")`, which both of them use with gradients."""
    for training in find_training_steps(file):
        function = file.tree.function_of(training.backward)
        tree = function or file.tree.root
        phase = next(
            (
                text_of(test.test)
                for test, in_body in file.tree.guards(training.backward)
                if in_body and _names_training(test.test)
            ),
            "",
        )
        if not phase or not find_mode_calls(file, tree, "eval") or file.tree.mentions(tree, *NO_GRAD):
            continue
        if function is not None and (
            file.definitions.class_of(function) is not None or function.name not in file.scopes.calls_by_name
        ):
            continue  # its caller may switch gradients off
        call = find_first_model_call(file, training.block, into_helpers=False)
        if (
            call is not None
            and has_gradients(file, call)
            and not any(text_of(test.test) == phase for test, _ in file.tree.guards(call))
        ):
            yield call, f"where `{phase}` is false, this line"


def _names_training(test: ast.expr) -> bool:
    """Whether a test compares with a name for training, as in `phase == "train"`."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and is_training_name(str(as_constant(test.comparators[0]))) is True
    )


def _is_program(file: SourceFile) -> bool:
    """Whether a file is a program that does nothing with gradients: its models only predict."""
    return not wants_gradients(file, file.tree.root) and any(
        "__name__" in text_of(node.test) for node in file.tree.root.body if isinstance(node, ast.If)
    )


def _statements_until_train(file: SourceFile, switch: ast.Call, name: str) -> list[ast.stmt]:
    """The statements of the block after model.eval(), up to a model.train()."""
    _, later = file.tree.statements_around(file.tree.statement_of(switch))
    return list(
        itertools.takewhile(
            lambda item: all(model != name for model, _ in find_mode_calls(file, item, "train")), later
        )
    )


def _is_frozen(file: SourceFile, name: str) -> bool:
    """Whether something sets requires_grad on the parameters of this model, or on those of a list."""
    for node in file.tree.nodes(ast.Attribute):
        if node.attr in ("requires_grad", "requires_grad_"):
            loops = file.tree.loops_around(node)
            source = text_of(loops[0].iter) if loops and isinstance(loops[0], ast.For) else text_of(node)
            if "modules()" not in source and ("." not in source or name in source):
                return True
    return False


def _class_switches_gradients(file: SourceFile, call: ast.Call, name: str) -> bool:
    """Whether the class of the model has no_grad() or the like."""
    model = call.func if text_of(call.func) == name else find_receiver(call)
    return any(
        kind.file.tree.mentions(kind.node, *NO_GRAD)
        for kind in file.values.types(model)
        if not isinstance(kind, str)
    )


def _is_called_by_training(file: SourceFile, function: Function) -> bool:
    """Whether a file that trains calls the function, so that no other file may switch gradients off."""
    return bool(find_training_steps(file)) and any(
        file.definitions.find_function(call.func) is function
        for call in file.tree.calls
        if isinstance(call.func, (ast.Name, ast.Attribute))
    )


def _is_called_without_gradients(file: SourceFile, function: Function) -> bool:
    """Whether one of the callers of a function in this file is under no_grad()."""
    calls = [call for call in file.tree.calls if text_of(call.func).split(".")[-1] == function.name]
    return any(is_without_gradients(file, call) for call in calls)


def find_inference_with_gradients(file: SourceFile) -> Iterator[Finding]:
    """A function that calls model.eval(), runs the model once, and only reads the result."""
    if file.tree.mentions(file.tree.root, "set_grad_enabled") or is_test_file(file):
        return
    is_program = (
        _is_program(file)
        and file.scopes.has_method_call("eval")
        and not file.tree.mentions(file.tree.root, *NO_GRAD)
    )
    for function in file.tree.functions:
        if is_training_name(function.name) is True or wants_gradients(file, function):
            continue
        switched = dict(find_mode_calls(file, function, "eval"))
        if is_program and not switched:
            yield from _find_in_program(file, function)
        for name, _ in find_mode_calls(file, function, "train"):
            switched.pop(name, None)  # trained here as well
        has_no_grad = file.tree.mentions(function, *NO_GRAD)
        for name, switch in switched.items():
            for call in runs_of(file, function, name):
                if (
                    call.lineno <= switch.lineno
                    or not has_gradients(file, call)
                    or file.tree.function_of(call) is not function
                ):
                    continue
                if file.tree.loops_around(call) and not has_no_grad:
                    continue  # find_evaluation_with_gradients() reports loops
                if _class_switches_gradients(file, call, name):
                    continue
                if graph_is_dropped(file, function, call, strict=not has_no_grad):
                    yield _unused_graph_finding(file, call)
                    break


def _find_in_program(file: SourceFile, function: Function) -> Iterator[Finding]:
    """A function that runs a model that was put into eval mode elsewhere, in a program that never trains."""
    call = find_first_model_call(file, function, into_helpers=False)
    if (
        call is not None
        and isinstance(call.func, ast.Name)
        and has_gradients(file, call)
        and any(call.func.id == parameter.arg for parameter in file.scopes.parameters(function))
        and graph_is_dropped(file, function, call, strict=True)
    ):
        yield _unused_graph_finding(file, call)


def _unused_graph_finding(file: SourceFile, call: ast.Call) -> Finding:
    return file.finding(
        "O5",
        call,
        Certainty.LIKELY,
        f"`{text_of(call.func)}` builds a graph that nothing uses: gradients are on here",
        "put it under `with torch.no_grad():`",
    )


def find_evaluating_calls_with_gradients(file: SourceFile) -> Iterator[Finding]:
    """model.eval(), and then a call of a function on validation data, with gradients."""
    for block in file.tree.blocks:
        evals = [
            item for item in find_mode_calls(file, block, "eval") if file.tree.is_directly_in(item[1], block)
        ]
        for name, switch in evals:
            for later in _statements_until_train(file, switch, name):
                call = next(
                    (
                        call
                        for call in file.tree.within(later, ast.Call)
                        if _is_evaluation_of(call, name) and not is_without_gradients(file, call)
                    ),
                    None,
                )
                function = file.definitions.find_function(call.func) if call else None
                if call is not None and function is not None and _builds_graphs(file, call, function, name):
                    yield file.finding(
                        "O5",
                        call,
                        Certainty.LIKELY,
                        f"`{function.name}` builds a graph for each batch: nothing switches off gradients",
                        "put the call under `with torch.no_grad():`",
                    )
                    break


def _builds_graphs(file: SourceFile, call: ast.Call, function: Function, model: str) -> bool:
    """Whether a function runs a model, which it gets as an argument, in a loop and with gradients."""
    if file.tree.mentions(function, *NO_GRAD, "requires_grad", "enable_grad"):
        return False
    parameter = _parameter_of(file, call, function, model)
    loops = file.tree.within(function, ast.For) if parameter else []
    return has_gradients(file, call) and any(runs_of(file, loop, parameter) for loop in loops)


def _is_evaluation_of(call: ast.Call, name: str) -> bool:
    """Whether a call gets the model, and another argument that names an evaluation."""
    values = [text_of(value) for value in (*call.args, *(keyword.value for keyword in call.keywords))]
    words = " ".join([*values, *(keyword.arg or "" for keyword in call.keywords)]).replace("_", " ")
    return name in values and _EVALUATION_WORD.search(words) is not None


def _parameter_of(file: SourceFile, call: ast.Call, function: Function, name: str) -> str:
    """The parameter that gets this argument."""
    for keyword in call.keywords:
        if keyword.arg and text_of(keyword.value) == name:
            return keyword.arg
    parameters = file.scopes.parameters(function)
    return next(
        (
            parameters[index].arg
            for index, value in enumerate(call.args)
            if text_of(value) == name and index < len(parameters)
        ),
        "",
    )
