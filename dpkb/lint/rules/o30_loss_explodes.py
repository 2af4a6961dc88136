"""O30: gradients that are clipped too late, or too early."""

import ast

from dpkb.lint.nodes import called_name, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "clip_grad_norm_ after step(), or before backward(), in one block."

_CLIP_FUNCTIONS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")


def check(file: SourceFile) -> Findings:
    for training in find_training_steps(file):
        for block in file.tree.branches_in(training.block):
            yield from _check_block(file, block)


def _check_block(file: SourceFile, block: list[ast.stmt]) -> Findings:
    """The findings in the order of the calls of one block."""
    events = [(_event(statement), statement) for statement in block]
    names = [name for name, _ in events]
    for index, (name, statement) in enumerate(events):
        before, after = names[:index], names[index + 1 :]
        if name != "clip" or "unknown" in (*before, *after):
            continue
        message = ""
        if "backward" in before:
            since_backward = before[len(before) - before[::-1].index("backward") :]
            if "step" in since_backward and "step" not in after:
                call = text_of(statement.body[0] if isinstance(statement, ast.If) else statement)
                message = f"`{call[:60]}` comes after step(): the update has used the unclipped gradients"
        # A step before backward() is with the gradients of the pass before, which may be clipped here.
        elif "zero_grad" in names and "backward" in after and "step" not in after[: after.index("backward")]:
            message = "clips before backward(): the gradients of this step do not exist yet"
        if message:
            yield file.finding(
                "O30", statement, Certainty.CERTAIN, message, "clip between backward() and step()"
            )


def _event(statement: ast.stmt) -> str:
    """The call in a statement: backward, clip, step or zero_grad; "unknown" if its block has such calls."""
    value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    is_call = isinstance(value, ast.Call)
    names = {
        "clip" if called_name(node) in _CLIP_FUNCTIONS else called_name(node)
        for node in ([value] if is_call else ast.walk(statement))
        if isinstance(node, ast.Call) and "sched" not in text_of(node.func).lower()
    } & {"backward", "clip", "step", "zero_grad"}
    # if max_norm > 0: clip_grad_norm_(...)
    is_plain = is_call or (isinstance(statement, ast.If) and names == {"clip"})
    return next(iter(names), "") if is_plain or not names else "unknown"
