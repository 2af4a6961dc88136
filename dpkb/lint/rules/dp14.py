"""DP14: sampler, shuffle and set_epoch."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module, argument, text_of
from dpkb.lint.training import is_training_name, loaders, training_steps

# Trainers that call set_epoch themselves.
_CALLS_SET_EPOCH = ("set_epoch", "accelerator", "Trainer", "LightningModule")


def check(module: Module) -> Iterator[Finding]:
    """Arguments of DataLoader that exclude each other, and a DistributedSampler whose epoch is never set."""
    for loader in loaders(module):
        if _is_given(loader.value("sampler")) and loader.flag("shuffle") is True:
            yield module.finding(
                "DP14", loader.call, Certainty.CERTAIN, "sampler= and shuffle=True exclude each other",
                "leave out shuffle; a sampler decides the order")
        if _is_given(loader.value("batch_sampler")):
            size = loader.value("batch_size")
            clashes = [name for name in ("shuffle", "drop_last") if loader.flag(name) is True]
            clashes += ["sampler"] if _is_given(loader.value("sampler")) else []
            clashes += ["batch_size"] if size is not None and module.constant(size) not in (1, None) else []
            if clashes:
                yield module.finding(
                    "DP14", loader.call, Certainty.CERTAIN, f"batch_sampler= excludes {', '.join(clashes)}",
                    f"leave out {', '.join(clashes)}: the batch sampler decides it")
    yield from _epoch_never_set(module)


def _epoch_never_set(module: Module) -> Iterator[Finding]:
    if any(module.mentions(module.source.tree, word) for word in _CALLS_SET_EPOCH):
        return
    if not any(True for _ in training_steps(module)) and not _epoch_loops(module):
        return
    for call in module.calls_of(names.DISTRIBUTED_SAMPLER):
        shuffle = argument(call, "shuffle", 3)
        if shuffle is not None and module.constant(shuffle) is not True:
            continue
        if _given_away(module, call):
            continue
        statement = module.statement_of(call)
        named = [
            text_of(statement.targets[0]) if isinstance(statement, ast.Assign) else "",
            text_of(argument(call, "dataset", 0))]
        if any(is_training_name(name) is False for name in named):
            continue
        yield module.finding(
            "DP14", call, Certainty.LIKELY, "set_epoch() is never called, so every epoch has the same order",
            "call `sampler.set_epoch(epoch)` before each epoch's loop over the loader")


def _given_away(module: Module, call: ast.Call) -> bool:
    """The sampler is an argument of something else than a DataLoader, which may set its epoch."""
    for other in module.calls:
        builtin = isinstance(other.func, ast.Name) and other.func.id in (
            "list", "len", "iter", "print", "enumerate", "next")
        if (
            module.called(other) != names.LOADER
            and not builtin
            and any(
                isinstance(item, ast.Name) and call in module.origins(item)
                for item in [*other.args, *(keyword.value for keyword in other.keywords)])
        ):
            return True
    return isinstance(module.parents.get(call), ast.Return)


def _epoch_loops(module: Module) -> bool:
    return any(
        isinstance(loop, ast.For) and "epoch" in ast.unparse(loop.target).lower() for loop in module.loops)


def _is_given(value: ast.expr | None) -> bool:
    return (
        value is not None and not (isinstance(value, ast.Constant) and value.value is None)
        and not isinstance(value, ast.IfExp))
