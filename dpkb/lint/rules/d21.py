"""D21: a collective that one rank calls and the others do not."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module, argument, text_of
from dpkb.lint.training import guards, is_rank_test

_WRAPPERS = ("wait_for_everyone",)


def check(module: Module) -> Iterator[Finding]:
    """dist.barrier() and the like, or a call of the DDP model, under `if rank == 0`."""
    for call in module.calls:
        what = _collective(module, call)
        if not what or argument(call, "group") is not None:
            continue
        for test, in_body in guards(module, call):
            if not is_rank_test(module, test.test):
                continue
            other = test.orelse if in_body else test.body
            if any(
                _collective(module, node) == what for statement in other for node in ast.walk(statement)
                if isinstance(node, ast.Call)):
                continue
            if _other_ranks_call(module, call, what, test):
                continue
            yield module.finding(
                "D21", call, Certainty.CERTAIN,
                f"only some ranks get here (`if {text_of(test.test)}`), and `{what}` waits for all of them",
                "call it on every rank, outside of the if")
            break


def _other_ranks_call(module: Module, call: ast.Call, what: str, test: ast.If) -> bool:
    """`if rank > 0: barrier()`, something in between, `if rank == 0: barrier()`."""
    function = module.function_of(call)
    return function is not None and any(
        _collective(module, other) == what
        and any(guard is not test and is_rank_test(module, guard.test) for guard, _ in guards(module, other))
        for other in module.within(function, ast.Call)
        if other is not call and not module.inside(other, test))


def _collective(module: Module, call: ast.Call) -> str:
    called = module.called(call)
    if called.startswith("torch.distributed.") and called.rpartition(".")[2] in names.COLLECTIVES:
        return text_of(call.func)
    if isinstance(call.func, ast.Attribute) and call.func.attr in _WRAPPERS:
        return text_of(call.func)
    if isinstance(call.func, ast.Name) and names.DDP in module.types(call.func):
        return text_of(call.func)
    return ""
