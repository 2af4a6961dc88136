"""Evaluation that builds a graph: the model is in eval mode, and gradients are on. A part of O5."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dpkb.lint.evaluation import (
    NO_GRAD,
    blocks,
    directly_in,
    graph_is_dropped,
    has_gradients,
    in_tests,
    mode_calls,
    model_called,
    runs,
    switches_gradients_off,
    wants_gradients,
)
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.syntax import Function, receiver, text_of
from dpkb.lint.training import functions_called, is_training_name, training_steps, without_gradients

# Methods that run a model, in programs that do not call it.
_RUNS = ("predict", "forward", "loss", "compute_loss", "calculate_loss")
_EVALUATION = re.compile(r"(?<![a-zA-Z])(val|valid|validation|test|dev|eval|evaluation)(?![a-z])", re.I)


def evaluation_with_gradients(module: Module) -> Iterator[Finding]:
    """A function that calls eval(), loops over batches and runs the model, with gradients switched on."""
    for function in module.functions:
        if is_training_name(function.name) is not False or function.name.startswith("test_"):
            continue
        if module.mentions(function, *NO_GRAD, "backward", "grad", "requires_grad", "autograd", "volatile"):
            continue
        switches = [call for call in module.within(function, ast.Call)
                    if isinstance(call.func, ast.Attribute) and call.func.attr == "eval" and not call.args]
        switched = {text_of(receiver(call)) for call in switches}
        loops = [loop for loop in module.within(function, ast.For)
                 if not text_of(loop.iter).startswith("range(") and (
                     model_called(module, loop) is not None or any(
                         text_of(receiver(call)) in switched
                         for call in module.within(loop, ast.Call)
                         if isinstance(call.func, ast.Attribute) and call.func.attr in _RUNS))]
        if not loops or function.decorator_list or _called_without_gradients(module, function):
            continue
        if not switches and not (
                _called_by_training(module, function)
                and any(model_called(module, loop, through=False) is not None for loop in loops)):
            continue
        if any("eval" in text_of(item.context_expr) for block in module.within(function, ast.With)
               for item in block.items):
            continue  # with eval_mode(model):
        if any(switches_gradients_off(module, called) for called in functions_called(module, function)):
            continue
        if isinstance(module.parents.get(function), ast.ClassDef) and "step" in function.name:
            continue  # a hook of a trainer, which switches gradients off
        yield module.finding(
            "O5", function, Certainty.LIKELY,
            f"`{function.name}` builds a graph for each batch: nothing switches off gradients",
            "put the loop under `with torch.no_grad():`")


def _called_by_training(module: Module, function: Function) -> bool:
    """It is called in a file that trains, so no other file has to switch the gradients off."""
    return bool(training_steps(module)) and any(
        module.function_named(call.func) is function for call in module.calls
        if isinstance(call.func, (ast.Name, ast.Attribute)))


def _called_without_gradients(module: Module, function: Function) -> bool:
    """One of its callers in this file is under no_grad()."""
    calls = [call for call in module.calls if text_of(call.func).split(".")[-1] == function.name]
    return any(without_gradients(module, call) for call in calls)


def inference_with_gradients(module: Module) -> Iterator[Finding]:
    """A function calls model.eval(), runs the model once, and only reads the result."""
    if module.mentions(module.source.tree, "set_grad_enabled") or in_tests(module):
        return
    for function in module.functions:
        if is_training_name(function.name) is True or wants_gradients(module, function):
            continue
        switched = dict(mode_calls(module, function, "eval"))
        for name, _ in mode_calls(module, function, "train"):
            switched.pop(name, None)  # trained here as well
        under = module.mentions(function, *NO_GRAD)
        for name, switch in switched.items():
            for call in runs(module, function, name):
                if call.lineno <= switch.lineno or not has_gradients(module, call) or module.function_of(
                        call) is not function:
                    continue
                if module.loops_around(call) and not under:
                    continue  # said for the loop
                if any(info.module.mentions(info.node, *NO_GRAD) for info in module.types(
                        call.func if text_of(call.func) == name else receiver(call))
                       if not isinstance(info, str)):
                    continue
                if graph_is_dropped(module, function, call, strict=not under):
                    yield module.finding(
                        "O5", call, Certainty.LIKELY,
                        f"`{text_of(call.func)}` builds a graph that nothing uses: gradients are on here",
                        "put it under `with torch.no_grad():`")
                    break


def evaluating_call_with_gradients(module: Module) -> Iterator[Finding]:
    """model.eval(), then the function that trains is called on validation data, with gradients."""
    for block in blocks(module):
        evals = [item for item in mode_calls(module, block, "eval") if directly_in(module, item[1], block)]
        for name, switch in evals:
            body = getattr(module.parents.get(module.statement_of(switch)), "body", [])
            statement = module.statement_of(switch)
            for later in body[body.index(statement) + 1:] if statement in body else []:
                if any(switched == name for switched, _ in mode_calls(module, later, "train")):
                    break
                found = next((call for call in module.within(later, ast.Call)
                              if _is_given(call, name) and not without_gradients(module, call)), None)
                function = module.function_named(found.func) if found else None
                if found is None or function is None or module.mentions(
                        function, *NO_GRAD, "requires_grad", "autograd", "volatile", "enable_grad"):
                    continue
                parameter = _parameter_of(module, found, function, name)
                loops = module.within(function, ast.For) if parameter else []
                if has_gradients(module, found) and any(runs(module, loop, parameter) for loop in loops):
                    yield module.finding(
                        "O5", found, Certainty.LIKELY,
                        f"`{function.name}` builds a graph for each batch: nothing switches off gradients",
                        "put the call under `with torch.no_grad():`")
                    break


def _is_given(call: ast.Call, name: str) -> bool:
    """Whether the model is an argument, and another one says that this is an evaluation."""
    values = [text_of(value) for value in (*call.args, *(keyword.value for keyword in call.keywords))]
    words = " ".join([*values, *(keyword.arg or "" for keyword in call.keywords)]).replace("_", " ")
    return name in values and _EVALUATION.search(words) is not None


def _parameter_of(module: Module, call: ast.Call, function: Function, name: str) -> str:
    """The parameter that gets this argument."""
    for keyword in call.keywords:
        if keyword.arg and text_of(keyword.value) == name:
            return keyword.arg
    parameters = module.parameters(function)
    return next((parameters[index].arg for index, value in enumerate(call.args)
                 if text_of(value) == name and index < len(parameters)), "")
