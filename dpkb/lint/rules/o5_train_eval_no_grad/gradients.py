"""Evaluation that builds a graph: the model is in eval mode, and gradients are on. A part of O5."""

import ast
import re
from collections.abc import Iterator
from itertools import chain

from dpkb.lint.evaluation import find_first_mode_call, find_mode_calls
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
from dpkb.lint.nodes import (
    Function,
    as_constant,
    called_name,
    find_argument,
    find_receiver,
    names_in,
    text_of,
)
from dpkb.lint.phase_names import is_test_file, is_test_function, is_training_name
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile, once_per_file
from dpkb.lint.syntax_tree import Region
from dpkb.lint.training_steps import find_training_steps

# Methods of a model that compute its outputs or its loss.
_PREDICTION_METHODS = ("predict", "forward", "loss", "compute_loss", "calculate_loss")
_EVALUATION_WORD = re.compile(r"(?<![a-zA-Z])(val|valid|validation|test|dev|eval|evaluation)(?![a-z])", re.I)


def find_evaluation_with_gradients(file: SourceFile) -> Findings:
    """A loop that runs the model for each batch with gradients, in an evaluation or after model.eval()."""
    for call, where in chain(_runs_in_evaluation(file), _runs_after_eval(file), _runs_for_both(file)):
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


@once_per_file
def _runs_in_evaluation(file: SourceFile) -> list[tuple[ast.Call, str]]:
    """The calls of models in a loop and with gradients, in functions that evaluate by their name."""
    runs = []
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
            runs.append((call, f"`{function.name}`"))
    return runs


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
        or any(is_without_gradients(file, call) for call in file.scopes.calls_by_name.get(function.name, ()))
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
    uses_number = any(
        isinstance(node, (ast.Subscript, ast.BinOp, ast.Call))
        for number in names_in(loop.target)
        for use in file.tree.named(number, file.tree.region(loop.body))
        for node in file.tree.expressions_around(use)
    )
    if not uses_number or find_mode_calls(file, loop, "eval"):
        return None
    return next((call for name in sorted(switched) for call in runs_of(file, loop, name)), None)


def _runs_after_eval(file: SourceFile) -> Iterator[tuple[ast.Call, str]]:
    """The calls of models in a loop after model.eval() in the same block, if their results are only read."""
    if file.tree.mentions(file.tree.root, "set_grad_enabled") or is_test_file(file):
        return
    data_loops = [loop for loop in file.tree.nodes(ast.For) if _is_over_data(loop)]
    for name, switch in find_mode_calls(file, file.tree.root, "eval"):
        region = _region_until_train(file, switch, name)
        if wants_gradients(file, region):
            continue
        loop: ast.AST | None
        if file.tree.first(data_loops, region):
            loop = file.tree.first(_loops_that_only_read(file, name), region)
        else:
            loop = next(iter(file.tree.loops_around(switch)), None)
            if not isinstance(loop, ast.For) or not (
                file.tree.mentions(loop, "backward") or is_training_name(text_of(loop.iter)) is False
            ):
                continue
        if isinstance(loop, ast.For) and _may_be_reported(file, loop, name):
            runs = file.tree.select(_runs_that_only_read(file, loop, name), region)
            call = next((call for call in runs if call.lineno > switch.lineno), None)
            if call is not None:
                yield call, f"the loop over `{text_of(loop.iter)}`"


def _is_over_data(loop: ast.For) -> bool:
    """Whether a loop may be over data: range(steps) counts steps."""
    return not text_of(loop.iter).startswith("range(") or "len(" in text_of(loop.iter)


@once_per_file
def _loops_that_only_read(file: SourceFile, name: str) -> list[ast.For]:
    """The loops over data that only read the results of this model, in the order of the text."""
    loops = {
        loop
        for call in runs_of(file, file.tree.root, name)
        for loop in file.tree.parents_of(call)
        if isinstance(loop, ast.For) and _is_over_data(loop)
    }
    return [loop for loop in file.tree.sort(loops) if _may_be_reported(file, loop, name)]


def _may_be_reported(file: SourceFile, loop: ast.For, name: str) -> bool:
    """Whether a loop only reads the results of this model, and is not reported in another way."""
    runs = _runs_that_only_read(file, loop, name)
    return bool(runs) and not (
        loop in _known_loops(file) or _is_frozen(file, name) or _class_switches_gradients(file, runs[0], name)
    )


@once_per_file
def _known_loops(file: SourceFile) -> set[ast.AST]:
    """What is around the calls that _runs_in_evaluation() finds."""
    return {parent for call, _ in _runs_in_evaluation(file) for parent in file.tree.parents_of(call)}


@once_per_file
def _runs_that_only_read(file: SourceFile, loop: ast.For, name: str) -> list[ast.Call]:
    """The runs of this model in a loop that have gradients, and whose results are only read."""
    never_trains = (
        _is_program(file)
        or file.tree.mentions(loop, "volatile")
        or is_training_name(text_of(loop.iter)) is False
    )
    return [
        call
        for call in runs_of(file, loop, name)
        if has_gradients(file, call) and (never_trains or graph_is_dropped(file, loop, call, strict=False))
    ]


def _runs_for_both(file: SourceFile) -> Iterator[tuple[ast.Call, str]]:
    """The calls of models that evaluation shares with training, where only backward() is under a test of the phase.

    As in run_epoch(loader, train=False), and in `for split in ("train", "valid")`.
    """
    for training in find_training_steps(file):
        call = find_first_model_call(file, training.block, into_helpers=False)
        if call is None or not has_gradients(file, call):
            continue
        function = file.tree.function_of(training.backward)
        tests = [test.test for test, in_body in file.tree.guards(training.backward) if in_body]
        flag = next((test.id for test in tests if isinstance(test, ast.Name)), "")
        phase = next((text_of(test) for test in tests if _names_training(test)), "")
        tested = {text_of(test.test) for test, _ in file.tree.guards(call)}
        if function and flag and flag not in tested and _evaluates_with(file, function, flag):
            yield call, f"`{function.name}` with `{flag}=False`"
        if phase and phase not in tested and _evaluates_in_loop(file, function):
            yield call, f"where `{phase}` is false, this line"


def _evaluates_with(file: SourceFile, function: Function, flag: str) -> bool:
    """Whether a function is called with flag=False, and each time with gradients."""
    names = [parameter.arg for parameter in file.scopes.parameters(function)]
    if flag not in names or file.tree.mentions(function, "set_grad_enabled", "requires_grad"):
        return False
    calls = [
        call
        for call in file.scopes.calls_by_name.get(function.name, ())
        if as_constant(find_argument(call, flag, names.index(flag) - isinstance(call.func, ast.Attribute)))
        is False
    ]
    return bool(calls) and all(has_gradients(file, call) for call in calls)


def _evaluates_in_loop(file: SourceFile, function: Function | None) -> bool:
    """Whether code calls eval(), and neither it nor its caller may switch gradients off."""
    tree = function or file.tree.root
    return (
        bool(find_mode_calls(file, tree, "eval"))
        and not file.tree.mentions(tree, *NO_GRAD)
        and (
            function is None
            or (file.definitions.class_of(function) is None and function.name in file.scopes.calls_by_name)
        )
    )


def _names_training(test: ast.expr) -> bool:
    """Whether a test compares with a name for training, as in `phase == "train"`."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and is_training_name(str(as_constant(test.comparators[0]))) is True
    )


@once_per_file
def _is_program(file: SourceFile) -> bool:
    """Whether a file is a program that does nothing with gradients: its models only predict."""
    return not wants_gradients(file, file.tree.root) and any(
        "__name__" in text_of(node.test) for node in file.tree.root.body if isinstance(node, ast.If)
    )


def _region_until_train(file: SourceFile, switch: ast.Call, name: str) -> Region:
    """The statements of the block after model.eval(), up to a model.train()."""
    statement = file.tree.statement_of(switch)
    train = find_first_mode_call(file, file.tree.rest_of_block(statement), "train", name)
    return file.tree.rest_of_block(statement, end=train)


@once_per_file
def _is_frozen(file: SourceFile, name: str) -> bool:
    """Whether something sets requires_grad on the parameters of this model, or on those of a list."""
    sources = _frozen_sources(file)
    return name in "\n".join(sources) or any("." not in source for source in sources)


@once_per_file
def _frozen_sources(file: SourceFile) -> set[str]:
    """What requires_grad is set on, or what the loop around that goes over; without modules()."""
    sources = set()
    for node in file.tree.nodes(ast.Attribute):
        if node.attr in ("requires_grad", "requires_grad_"):
            loop = next(iter(file.tree.loops_around(node)), None)
            sources.add(text_of(loop.iter if isinstance(loop, ast.For) else node))
    return {source for source in sources if "modules()" not in source}


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
    return bool(find_training_steps(file) and file.definitions.find_calls_of(function))


def find_inference_with_gradients(file: SourceFile) -> Findings:
    """A function that calls model.eval(), runs the model once, and only reads the result."""
    if file.tree.mentions(file.tree.root, "set_grad_enabled") or is_test_file(file):
        return
    is_program = (
        _is_program(file)
        and file.scopes.method_calls("eval")
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
                    call.lineno > switch.lineno
                    and has_gradients(file, call)
                    and file.tree.function_of(call) is function
                    # find_evaluation_with_gradients() reports loops.
                    and (has_no_grad or not file.tree.loops_around(call))
                    and not _class_switches_gradients(file, call, name)
                    and graph_is_dropped(file, function, call, strict=not has_no_grad)
                ):
                    yield _unused_graph_finding(file, call)
                    break


def _find_in_program(file: SourceFile, function: Function) -> Findings:
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


def find_evaluating_calls_with_gradients(file: SourceFile) -> Findings:
    """model.eval(), and then a call of a function on validation data, with gradients."""
    for name, switch in find_mode_calls(file, file.tree.root, "eval"):
        region = _region_until_train(file, switch, name)
        call = file.tree.first(_evaluations_with_graphs(file, name), region)
        if call is not None:
            yield file.finding(
                "O5",
                call,
                Certainty.LIKELY,
                f"`{called_name(call)}` builds a graph for each batch: nothing switches off gradients",
                "put the call under `with torch.no_grad():`",
            )


@once_per_file
def _evaluations_with_graphs(file: SourceFile, name: str) -> list[ast.Call]:
    """The calls of functions on validation data, with this model and gradients, in the order of the text."""
    parents = (file.tree.parents[node] for node in file.tree.named(name))
    calls = (file.tree.parents[node] if isinstance(node, ast.keyword) else node for node in parents)
    return [
        call
        for call in file.tree.sort(dict.fromkeys(calls))
        if isinstance(call, ast.Call)
        and _is_evaluation_of(call, name)
        and not is_without_gradients(file, call)
        and (function := file.definitions.find_function(call.func)) is not None
        and _builds_graphs(file, call, function, name)
    ]


def _builds_graphs(file: SourceFile, call: ast.Call, function: Function, model: str) -> bool:
    """Whether a function runs a model, which it gets as an argument, in a loop and with gradients."""
    if file.tree.mentions(function, *NO_GRAD, "requires_grad", "enable_grad"):
        return False
    parameter = _parameter_of(file, call, function, model)
    return bool(parameter) and has_gradients(file, call) and _runs_in_loop(file, function, parameter)


@once_per_file
def _runs_in_loop(file: SourceFile, function: Function, model: str) -> bool:
    return any(runs_of(file, loop, model) for loop in file.tree.within(function, ast.For))


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
