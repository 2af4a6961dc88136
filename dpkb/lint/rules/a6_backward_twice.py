"""A6: backward() through a graph that was freed."""

import ast

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo, type_is_a
from dpkb.lint.nodes import find_receiver, is_method_call, names_in, root_name, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "loss.backward() twice, and a hidden state that is not detached between two steps."

_RECURRENT = tuple(f"torch.nn.{name}" for name in ("RNN", "LSTM", "GRU", "LSTMCell", "GRUCell", "RNNCell"))
_GRAPH_CUTS = ("detach", "detach_", "data", "repackage_hidden", "item", "init_hidden", "zeros", "zeros_like")


def check(file: SourceFile) -> Findings:
    for training in find_training_steps(file):
        yield from _find_double_backward(file, training.block.body)
        if isinstance(training.block, (ast.For, ast.While)):
            yield from _find_carried_state(file, training.block)


def _find_double_backward(file: SourceFile, block: list[ast.stmt]) -> Findings:
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


def _find_carried_state(file: SourceFile, loop: ast.For | ast.While) -> Findings:
    """output, hidden = rnn(x, hidden) in a loop that never detaches `hidden`."""
    for assign in file.tree.within(loop, ast.Assign):
        call, target = assign.value, assign.targets[0]
        if (
            isinstance(call, ast.Call)
            and len(call.args) == 2
            and isinstance(target, ast.Tuple)
            and len(target.elts) == 2
            and isinstance(state := target.elts[1], (ast.Name, ast.Tuple))
            and text_of(state).strip("()") == text_of(call.args[1]).strip("()")
            and file.tree.loops_around(assign)[:1] == [loop]
            and any(
                type_is_a(kind, library_names.NN_MODULE) and (kind in _RECURRENT or not isinstance(kind, str))
                for kind in file.values.types(call.func)
            )
            and not _is_cut(file, loop, assign, names_in(state))
            and _frees_graph(file, loop)
        ):
            yield file.finding(
                "A6",
                assign,
                Certainty.LIKELY,
                f"`{text_of(state)}` carries the graph of the last step, which backward() has freed",
                "call detach() on it before the next step",
            )


def _is_cut(file: SourceFile, loop: ast.AST, assign: ast.Assign, states: set[str]) -> bool:
    """Whether a loop gives states another value as well, or detaches them in place."""
    return any(
        other is not assign and any(states & names_in(item) for item in other.targets)
        for other in file.tree.within(loop, ast.Assign)
    ) or any(
        root_name(find_receiver(other)) in states and is_method_call(other, *_GRAPH_CUTS)
        for other in file.tree.within(loop, ast.Call)
    )


def _frees_graph(file: SourceFile, loop: ast.AST) -> bool:
    """Whether each backward() in the loop frees the graph."""
    return not any(
        keyword.arg == "retain_graph"
        for call in file.tree.within(loop, ast.Call)
        if is_method_call(call, "backward")
        for keyword in call.keywords
    )
