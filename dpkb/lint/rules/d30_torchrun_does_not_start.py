"""D30: --local_rank, which torchrun no longer passes."""

import ast

from dpkb.lint.nodes import as_constant
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = 'add_argument("--local_rank") in a file that never reads LOCAL_RANK.'


def check(file: SourceFile) -> Findings:
    used = any(
        node.attr == "local_rank" and isinstance(node.ctx, ast.Load)
        for node in file.tree.nodes(ast.Attribute)
    )
    if "LOCAL_RANK" in file.source.text or not used or "deepspeed" in file.source.text:
        return
    for call in file.scopes.method_calls("add_argument"):
        options = [as_constant(item) for item in call.args]
        if "--local_rank" in options and "--local-rank" not in options:
            yield file.finding(
                "D30",
                call,
                Certainty.LIKELY,
                "torchrun sets LOCAL_RANK and passes no --local_rank; torch.distributed.launch passes "
                "--local-rank from torch 2.0 on",
                'read `int(os.environ["LOCAL_RANK"])`',
            )
