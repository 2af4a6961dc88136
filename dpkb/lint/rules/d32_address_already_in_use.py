"""D32: a port that is the same for every job."""

import ast

from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.source_file import Certainty, Finding, Findings, SourceFile

LOOKS_FOR = 'os.environ["MASTER_PORT"] = "12355", and init_method="tcp://localhost:23456".'


def check(file: SourceFile) -> Findings:
    for assign, targets, assigned in file.tree.assignments:
        if isinstance(assigned, ast.Constant) and any(
            isinstance(target, ast.Subscript) and text_of(target.slice).strip("'\"") == "MASTER_PORT"
            for target in targets
        ):
            yield _finding(file, assign, text_of(assigned))
    for call in file.scopes.calls_of("torch.distributed.init_process_group"):
        value = find_argument(call, "init_method", 1)
        method = file.values.constant(value)
        if isinstance(method, str) and method.startswith("tcp://") and method[-1:].isdigit():
            yield _finding(file, value or call, method)


def _finding(file: SourceFile, node: ast.AST, port: str) -> Finding:
    return file.finding(
        "D32",
        node,
        Certainty.HINT,
        f"every job on this machine asks for the same port ({port}), so the second job fails",
        "let torchrun choose it (--standalone), or take a free port once per job",
    )
