"""D21: a collective that only some ranks call."""

import ast

from dpkb.lint import library_names
from dpkb.lint.classes import ClassInfo
from dpkb.lint.nodes import Function, as_constant, called_name, find_argument, is_none, last_name, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = (
    "dist.barrier() and the like, or a call of the DDP model, under `if rank == 0` or below "
    "`if rank != 0: return`."
)

_LIBRARY_COLLECTIVES = ("wait_for_everyone",)
# Methods of Lightning's trainer that wait for all ranks.
_TRAINER_METHODS = ("save_checkpoint", "barrier", "broadcast")
_RANKS = ("rank", "local_rank", "global_rank", "gpu", "process_index", "local_process_index", "get_rank")
_RANK_TESTS = (
    "is_main_process",
    "is_master",
    "is_main",
    "master_process",
    "is_global_zero",
    "is_rank_zero",
    "is_local_main_process",
)


def check(file: SourceFile) -> Findings:
    yield from _find_after_return(file)
    tests = [node for node in file.tree.nodes(ast.If) if is_rank_test(node.test)]
    for call in dict.fromkeys(call for test in tests for call in file.tree.within(test, ast.Call)):
        if not _reaches_collective(file, call) or _has_group(file, call):
            continue
        test, branch = next(
            (
                (test, branch)
                for test, in_body in _rank_guards(file, call)
                if not _has_same_collective(file, branch := test.orelse if in_body else test.body, call)
                and not _other_ranks_call(file, call, test)
            ),
            (None, []),
        )
        if test is not None:
            is_certain = _is_collective(file, call) and all(
                file.scopes.is_builtin_or_torch(other) for other in _calls_in(file, branch)
            )
            yield file.finding(
                "D21",
                call,
                Certainty.CERTAIN if is_certain else Certainty.LIKELY,
                f"only some ranks get here (`if {text_of(test.test)}`), and `{text_of(call.func)}` waits for "
                "all of them",
                "call it on every rank, outside of the if",
            )


@once_per_file
def _rank_guards(file: SourceFile, call: ast.Call) -> list[tuple[ast.If, bool]]:
    """The conditions around a call that are true on some ranks only, and whether it is in the body of each."""
    return [(test, in_body) for test, in_body in file.tree.guards(call) if is_rank_test(test.test)]


def _has_same_collective(file: SourceFile, branch: list[ast.stmt], call: ast.Call) -> bool:
    return any(_may_meet(file, other, call) for other in _calls_in(file, branch))


def _may_meet(file: SourceFile, other: ast.Call, call: ast.Call) -> bool:
    """Whether two calls may wait for each other: the same collective, or any in a function of this file."""
    if _needs_all_ranks(file, other) and _needs_all_ranks(file, call):
        callee = file.scopes.callee(call)
        return text_of(other.func) == text_of(call.func) or (
            callee != "" and callee == file.scopes.callee(other)
        )
    return _reaches_collective(file, other)


def _calls_in(file: SourceFile, branch: list[ast.stmt]) -> list[ast.Call]:
    return [call for statement in branch for call in file.tree.within(statement, ast.Call)]


def _find_after_return(file: SourceFile) -> Findings:
    """`if rank != 0: return`, and a collective below it in the same function."""
    seen = set()
    for test in file.tree.nodes(ast.If):
        function = file.tree.function_of(test)
        if (
            function is None
            or function in seen
            or test.orelse
            or not isinstance(test.body[-1], ast.Return)
            or file.tree.parents[test] is not function
            or not is_rank_test(test.test)
        ):
            continue
        seen.add(function)
        if any(_reaches_collective(file, call) for call in file.tree.within(test, ast.Call)):
            continue
        for call in file.tree.within(file.tree.rest_of_block(test), ast.Call):
            if (
                _is_collective(file, call)
                and not _has_group(file, call)
                and file.tree.function_of(call) is function
            ):
                yield file.finding(
                    "D21",
                    call,
                    Certainty.LIKELY,
                    f"the ranks that returned at `if {text_of(test.test)}` do not get here, and "
                    f"`{text_of(call.func)}` waits for all of them",
                    "call it on every rank, before the return",
                )


def _reaches_collective(file: SourceFile, call: ast.Call) -> bool:
    """Whether a call is a collective, or calls a function of this file that has one."""
    function = file.definitions.find_function(call.func)
    return _needs_all_ranks(file, call) or (function is not None and _calls_collective(file, function))


def _calls_collective(file: SourceFile, function: Function) -> bool:
    """Whether every rank that runs a function calls a collective in it."""
    return any(
        _needs_all_ranks(file, call) and not _has_group(file, call) and not _rank_guards(file, call)
        for call in file.tree.within(function, ast.Call)
        if file.tree.function_of(call) is function
    )


def _has_group(file: SourceFile, call: ast.Call) -> bool:
    """Whether only some ranks take part: a group is given, and is not the default group."""
    package, _, name = file.scopes.callee(call).rpartition(".")
    is_from_torch = package.startswith("torch.distributed")
    group = find_argument(call, "group", library_names.COLLECTIVES.get(name) if is_from_torch else None)
    origins = file.values.origins(group)
    return group is not None and not (
        origins
        and all(
            file.scopes.full_name(origin) == "torch.distributed.group.WORLD" or is_none(origin)
            for origin in origins
        )
    )


def _other_ranks_call(file: SourceFile, call: ast.Call, test: ast.If) -> bool:
    """Whether other ranks call it elsewhere: `if rank > 0: barrier()`, then `if rank == 0: barrier()`."""
    function, name = file.tree.function_of(call), text_of(call.func)
    if isinstance(test.body[-1], (ast.Return, ast.Continue, ast.Break)) and any(
        (
            text_of(other.func) == name
            or (file.tree.function_of(other) is function and _may_meet(file, other, call))
        )
        and not file.tree.is_inside(other, test)
        for other in file.tree.calls
    ):
        return True  # the other ranks continue below the if, and may call it there
    return function is not None and any(
        any(
            guard is not test
            and (
                text_of(other.func) == name
                or (text_of(guard.test) != text_of(test.test) and _may_meet(file, other, call))
            )
            for guard, _ in _rank_guards(file, other)
        )
        for other in file.tree.within(function, ast.Call)
        if other is not call and not file.tree.is_inside(other, test)
    )


def _needs_all_ranks(file: SourceFile, call: ast.Call) -> bool:
    """Whether all ranks have to call it: a function of torch.distributed, or the model under DDP."""
    return _is_collective(file, call) or (
        library_names.DDP in file.values.types(call.func) and _has_buffers(file, call.func)
    )


def _is_collective(file: SourceFile, call: ast.Call) -> bool:
    package, _, name = file.scopes.callee(call).rpartition(".")
    if package.startswith("torch.distributed") and name in library_names.COLLECTIVES:
        return True
    return isinstance(call.func, ast.Attribute) and (
        call.func.attr in _LIBRARY_COLLECTIVES
        or (
            call.func.attr in _TRAINER_METHODS
            and file.scopes.imports_from("lightning", "pytorch_lightning")
            and text_of(call.func.value).removesuffix(".strategy").split(".")[-1] == "trainer"
        )
    )


def _has_buffers(file: SourceFile, model: ast.expr) -> bool:
    """Whether DDP may broadcast buffers before a forward: not if the class of the model has none."""
    wrapped = [
        find_argument(origin, "module", 0)
        for origin in file.values.origins(model)
        if isinstance(origin, ast.Call) and file.scopes.callee(origin) == library_names.DDP
    ]
    kinds = [
        kind
        for value in [model, *wrapped]
        for kind in file.values.types(value)
        if isinstance(kind, ClassInfo)
    ]
    return not kinds or any(
        word in kind.file.source.text for kind in kinds for word in ("BatchNorm", "register_buffer")
    )


def is_rank_test(test: ast.expr) -> bool:
    """Whether a condition is true on some ranks only: rank == 0, is_main_process() ..."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(is_rank_test(value) for value in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_rank_test(test.operand)
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.Gt))
    ):
        left, right = test.left, test.comparators[0]
        number = right if isinstance(right, ast.Constant) else left
        other = left if number is right else right
        return isinstance(number, ast.Constant) and number.value == 0 and _last_word(other) in _RANKS
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], (ast.In, ast.NotIn))
        and isinstance(test.comparators[0], (ast.List, ast.Tuple, ast.Set))
    ):
        values = [as_constant(item) for item in test.comparators[0].elts]
        return 0 in values and _last_word(test.left) in _RANKS
    return _last_word(test) in _RANK_TESTS


def _last_word(node: ast.expr) -> str:
    return called_name(node) if isinstance(node, ast.Call) else last_name(node)
