"""S6: a layer or a batch that stays on the CPU."""

import ast
import itertools
from bisect import bisect_left
from operator import itemgetter

from dpkb.lint import library_names
from dpkb.lint.nodes import Function, called_name, find_receiver, group, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = "model.head = nn.Linear(...) after model.to(device), and no second move."

_MOVE_METHODS = ("to", "cuda")


def check(file: SourceFile) -> Findings:
    for call in file.scopes.method_calls(*_MOVE_METHODS):
        model = find_receiver(call)
        if (
            not isinstance(model, (ast.Name, ast.Attribute))
            or not file.values.is_a(model, library_names.NN_MODULE)
            or (called_name(call) == "to" and not call.args and not call.keywords)
        ):
            continue
        statement, name = file.tree.statement_of(call), text_of(model)
        layers = file.tree.select(_new_layers(file)[name], file.tree.rest_of_block(statement))
        block = file.tree.parents[statement]
        replaced = next((layer for layer in reversed(layers) if file.tree.parents[layer] is block), None)
        if (
            replaced is not None
            and not _moves_again(file, replaced, name)
            and not _is_moved_elsewhere(file, file.tree.function_of(call), name)
        ):
            yield file.finding(
                "S6",
                replaced,
                Certainty.LIKELY,
                f"`{text_of(replaced.targets[0])}` is created on the CPU, after `{text_of(call)}`",
                f"call `{text_of(call)}` after the last change of `{name}`",
            )


@once_per_file
def _new_layers(file: SourceFile) -> dict[str, list[ast.Assign]]:
    """The text of a model -> the assignments of new layers to its attributes, in the order of the text."""
    return group(
        (text_of(target.value), statement)
        for statement in file.tree.nodes(ast.Assign)
        if isinstance(target := statement.targets[0], ast.Attribute)
        and isinstance(statement.value, ast.Call)
        and file.scopes.callee(statement.value).startswith("torch.nn.")
        and file.values.is_a(statement.value, library_names.NN_MODULE)
    )


@once_per_file
def _moves_again(file: SourceFile, layer: ast.Assign, name: str) -> bool:
    """Whether a model or one of its parts is moved after a layer was replaced, or given to a function."""
    rest, moves = file.tree.rest_of_block(layer), _moves(file)
    start = bisect_left(moves, name, key=itemgetter(0))
    # A model with a longer name counts as well.
    longer = itertools.takewhile(lambda move: move[0].startswith(name), itertools.islice(moves, start, None))
    parents = ((node, file.tree.parents[node]) for node in file.tree.named(name, rest))
    return any(file.tree.is_inside(call, rest) for _, call in longer) or any(
        isinstance(parent, ast.Call) and node in parent.args for node, parent in parents
    )


@once_per_file
def _moves(file: SourceFile) -> list[tuple[str, ast.Call]]:
    """The calls that move something, each after the text of what it moves, sorted by these texts."""
    calls = file.scopes.method_calls(*_MOVE_METHODS)
    return sorted(((text_of(find_receiver(call)), call) for call in calls), key=itemgetter(0))


@once_per_file
def _is_moved_elsewhere(file: SourceFile, function: Function | None, name: str) -> bool:
    """Whether another function moves a model of this name, or the function returns the model."""
    return function is not None and (
        any(
            file.tree.function_of(other) is not function
            for method in _MOVE_METHODS
            for other in file.scopes.calls_on(name, method)
        )
        or any(text_of(node.value) == name for node in file.tree.within(function, ast.Return))
    )
