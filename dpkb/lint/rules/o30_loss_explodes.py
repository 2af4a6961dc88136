"""O30: gradients that are clipped too late, or too early."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import called_name, text_of
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "clip_grad_norm_ after step(), or before backward(), in one block."

_CLIP_FUNCTIONS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")


def check(file: SourceFile) -> Iterator[Finding]:
    for training in find_training_steps(file):
        for block in file.tree.branches_in(training.block):
            yield from _check_block(file, block)


def _check_block(file: SourceFile, block: list[ast.stmt]) -> Iterator[Finding]:
    """The findings in the order of the calls of one block."""
    events = [(_event(statement), statement) for statement in block]
    names = [name for name, _ in events]
    for index, (name, statement) in enumerate(events):
        if name != "clip":
            continue
        before, after = names[:index], names[index + 1 :]
        if "unknown" in before or "unknown" in after:
            continue
        last = len(before) - before[::-1].index("backward") if "backward" in before else None
        since_backward = before[last:] if last is not None else None
        if since_backward is not None and "step" in since_backward and "step" not in after:
            call = text_of(statement.body[0] if isinstance(statement, ast.If) else statement)
            yield file.finding(
                "O30",
                statement,
                Certainty.CERTAIN,
                f"`{call[:60]}` comes after step(): the update has used the unclipped gradients",
                "clip between backward() and step()",
            )
        # A step before backward() is with the gradients of the pass before, which may be clipped here.
        elif (
            since_backward is None
            and "zero_grad" in names
            and "backward" in after
            and "step" not in after[: after.index("backward")]
        ):
            yield file.finding(
                "O30",
                statement,
                Certainty.CERTAIN,
                "clips before backward(): the gradients of this step do not exist yet",
                "clip between backward() and step()",
            )


def _event(statement: ast.stmt) -> str:
    """The call in a statement: backward, clip, step or zero_grad; "unknown" if its block has such calls."""
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if isinstance(call, ast.Call):
        name = called_name(call)
        if name in _CLIP_FUNCTIONS:
            return "clip"
        if name in ("backward", "zero_grad"):
            return name
        if name == "step":
            return "scheduler" if "sched" in text_of(call.func).lower() else "step"
        return ""
    names = {
        called_name(node)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and "sched" not in text_of(node.func).lower()
    }
    if names.isdisjoint(("backward", "step", "zero_grad", *_CLIP_FUNCTIONS)):
        return ""
    # if max_norm > 0: clip_grad_norm_(...)
    return (
        "clip"
        if isinstance(statement, ast.If) and names.isdisjoint(("backward", "step", "zero_grad"))
        else "unknown"
    )
