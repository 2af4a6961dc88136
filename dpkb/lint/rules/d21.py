"""D21: a collective that one rank calls and the others do not."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import ClassInfo, Module
from dpkb.lint.syntax import Function, argument, text_of
from dpkb.lint.training import guards, is_rank_test

_WRAPPERS = ("wait_for_everyone",)
# Lightning's trainer ends these with a barrier.
_OF_TRAINER = ("save_checkpoint", "barrier", "broadcast")


def check(module: Module) -> Iterator[Finding]:
    """dist.barrier() and the like, or a call of the DDP model, under `if rank == 0`."""
    yield from _after_return(module)
    tests = [node for node in module.nodes(ast.If) if is_rank_test(module, node.test)]
    for call in dict.fromkeys(call for test in tests for call in module.within(test, ast.Call)):
        what = _collective(module, call)
        helper = None if what else module.function_named(call.func)
        if helper is not None and _calls_collective(module, helper):
            what = text_of(call.func)
        if not what or _has_group(module, call):
            continue
        for test, in_body in guards(module, call):
            if not is_rank_test(module, test.test):
                continue
            other = test.orelse if in_body else test.body
            if any(
                _collective(module, node) == what or (helper and _joins(module, node))
                for statement in other for node in ast.walk(statement) if isinstance(node, ast.Call)):
                continue
            if _other_ranks_call(module, call, what, test):
                continue
            is_model = names.DDP in module.types(call.func)
            yield module.finding(
                "D21", call, Certainty.LIKELY if is_model or helper else Certainty.CERTAIN,
                f"only some ranks get here (`if {text_of(test.test)}`), and `{what}` waits for all of them",
                "call it on every rank, outside of the if")
            break


def _after_return(module: Module) -> Iterator[Finding]:
    """`if rank != 0: return`, and a collective below it in the same function."""
    for test in module.nodes(ast.If):
        function = module.function_of(test)
        if (
            function is None or test.orelse or not isinstance(test.body[-1], ast.Return)
            or test not in function.body or not is_rank_test(module, test.test)
            or any(_joins(module, call) for call in module.within(test, ast.Call))):
            continue
        for statement in function.body[function.body.index(test) + 1:]:
            for call in module.within(statement, ast.Call):
                if (_is_collective(module, call) and not _has_group(module, call)
                        and module.function_of(call) is function):
                    yield module.finding(
                        "D21", call, Certainty.LIKELY,
                        f"the ranks that returned at `if {text_of(test.test)}` do not get here, and "
                        f"`{text_of(call.func)}` waits for all of them",
                        "call it on every rank, before the return")
                    break


def _joins(module: Module, call: ast.Call) -> bool:
    """A collective, also in a function of the file that is called."""
    function = module.function_named(call.func)
    return bool(_collective(module, call)) or (function is not None and _calls_collective(module, function))


def _calls_collective(module: Module, function: Function) -> bool:
    """A function in which each rank calls a collective, whatever its rank is."""
    return any(
        _is_collective(module, call) and not _has_group(module, call)
        and not any(is_rank_test(module, test.test) for test, _ in guards(module, call))
        for call in module.within(function, ast.Call) if module.function_of(call) is function)


def _has_group(module: Module, call: ast.Call) -> bool:
    """Whether only some ranks take part: group= is given, and is not the default group."""
    group = argument(call, "group")
    origins = module.origins(group)
    return group is not None and not (origins and all(
        module.qualified(origin) == "torch.distributed.group.WORLD"
        or (isinstance(origin, ast.Constant) and origin.value is None) for origin in origins))


def _other_ranks_call(module: Module, call: ast.Call, what: str, test: ast.If) -> bool:
    """`if rank > 0: barrier()`, something in between, `if rank == 0: barrier()`."""
    function = module.function_of(call)
    if isinstance(test.body[-1], (ast.Return, ast.Continue, ast.Break)) and any(
        text_of(other.func) == what and not module.inside(other, test) for other in module.calls):
        return True  # the others go on below the if, and may call it there
    return function is not None and any(
        text_of(other.func) == what
        and any(guard is not test and is_rank_test(module, guard.test) for guard, _ in guards(module, other))
        for other in module.within(function, ast.Call)
        if other is not call and not module.inside(other, test))


def _collective(module: Module, call: ast.Call) -> str:
    """What all ranks have to call: a function of torch.distributed, or the model under DDP."""
    if _is_collective(module, call) or (
            names.DDP in module.types(call.func) and _has_buffers(module, call.func)):
        return text_of(call.func)
    return ""


def _is_collective(module: Module, call: ast.Call) -> bool:
    called = module.called(call)
    return (called.startswith("torch.distributed.") and called.rpartition(".")[2] in names.COLLECTIVES) or (
        isinstance(call.func, ast.Attribute) and (
            call.func.attr in _WRAPPERS or (
                call.func.attr in _OF_TRAINER and _is_lightning(module)
                and text_of(call.func.value).removesuffix(".strategy").split(".")[-1] == "trainer")))


def _is_lightning(module: Module) -> bool:
    return any(name.partition(".")[0] in ("lightning", "pytorch_lightning")
               for name in module.imports.values())


def _has_buffers(module: Module, model: ast.expr) -> bool:
    """DDP broadcasts the buffers of a model before each forward; some models are known to have none."""
    wrapped = [argument(origin, "module", 0) for origin in module.origins(model)
               if isinstance(origin, ast.Call) and module.called(origin) == names.DDP]
    kinds = [kind for value in [model, *wrapped] for kind in module.types(value)
             if isinstance(kind, ClassInfo)]
    return not kinds or any(
        word in kind.module.source.text for kind in kinds for word in ("BatchNorm", "register_buffer"))
