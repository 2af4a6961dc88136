"""A6: backward() through a graph that was freed."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo, type_is_a
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import find_receiver, is_method_call, names_in, root_name, text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "loss.backward() twice, and a hidden state that is not detached between two steps."

_RECURRENT = tuple(f"torch.nn.{name}" for name in ("RNN", "LSTM", "GRU", "LSTMCell", "GRUCell", "RNNCell"))
_GRAPH_CUTS = ("detach", "detach_", "data", "repackage_hidden", "item", "init_hidden", "zeros", "zeros_like")


def check(file: SourceFile) -> Iterator[Finding]:
    for training in find_training_steps(file):
        yield from _find_double_backward(file, training.block.body)
        if isinstance(training.block, (ast.For, ast.While)):
            yield from _find_carried_state(file, training.block)


def _find_double_backward(file: SourceFile, block: list[ast.stmt]) -> Iterator[Finding]:
    losses: set[str] = set()
    for statement in block:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if is_method_call(call, "backward") and isinstance(call.func.value, ast.Name) and not call.args:
            name = call.func.value.id
            # The program's own class may have a backward() that frees no graph twice.
            is_own = any(isinstance(kind, ClassInfo) for kind in file.values.types(call.func.value))
            if name in losses and not is_own:
                yield file.finding(
                    "A6",
                    call,
                    Certainty.CERTAIN,
                    f"`{name}` has gone through backward() already: its graph is freed",
                    "call backward() once, on the sum of the losses",
                )
            if not any(keyword.arg == "retain_graph" for keyword in call.keywords):
                losses.add(name)
            continue
        for node in file.tree.within(statement, ast.Name):
            if isinstance(node.ctx, ast.Store):
                losses.discard(node.id)


def _find_carried_state(file: SourceFile, loop: ast.For | ast.While) -> Iterator[Finding]:
    """output, hidden = rnn(x, hidden) in a loop that never detaches `hidden`."""
    for assign in file.tree.within(loop, ast.Assign):
        call, target = assign.value, assign.targets[0]
        if not (
            isinstance(call, ast.Call)
            and isinstance(target, ast.Tuple)
            and len(target.elts) == 2
            and isinstance(target.elts[1], (ast.Name, ast.Tuple))
            and len(call.args) == 2
        ):
            continue
        if file.tree.loops_around(assign)[:1] != [loop] or text_of(call.args[1]).strip("()") != text_of(
            target.elts[1]
        ).strip("()"):
            continue
        if not any(
            type_is_a(kind, library_names.NN_MODULE) and (kind in _RECURRENT or not isinstance(kind, str))
            for kind in file.values.types(call.func)
        ):
            continue
        states = names_in(target.elts[1])
        others = [
            other
            for other in file.tree.within(loop, ast.Assign)
            if other is not assign and any(states & names_in(item) for item in other.targets)
        ]
        cut_in_place = any(
            root_name(find_receiver(other)) in states and is_method_call(other, *_GRAPH_CUTS)
            for other in file.tree.within(loop, ast.Call)
        )
        if others or cut_in_place or not _frees_graph(file, loop):
            continue
        yield file.finding(
            "A6",
            assign,
            Certainty.LIKELY,
            f"`{text_of(target.elts[1])}` carries the graph of the last step, which backward() has freed",
            "call detach() on it before the next step",
        )


def _frees_graph(file: SourceFile, loop: ast.AST) -> bool:
    """Whether each backward() in the loop frees the graph."""
    return not any(
        keyword.arg == "retain_graph"
        for call in file.tree.within(loop, ast.Call)
        if is_method_call(call, "backward")
        for keyword in call.keywords
    )
