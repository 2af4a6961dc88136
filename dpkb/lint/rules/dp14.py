"""DP14: a sampler together with shuffle=True, or without set_epoch()."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.edits import insert_lines, remove_argument, replace
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.loaders import Loader, loaders
from dpkb.lint.module import Module
from dpkb.lint.nodes import argument, is_none, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.training_steps import training_steps

LOOKS_FOR = (
    "Arguments of DataLoader that exclude each other, and a DistributedSampler whose epoch is never set.")

# Words of code that calls set_epoch, or uses a library that does.
_CALLS_SET_EPOCH = ("set_epoch", "accelerator", "Accelerator", "LightningModule")
_TRAINERS = ("Trainer", "LightningModule", "LightningDataModule", "Accelerator", "Fabric")


def check(module: Module) -> Iterator[Finding]:
    for loader in loaders(module):
        yield from _find_excluded_arguments(module, loader)
    yield from _find_missing_set_epoch(module)


def _find_excluded_arguments(module: Module, loader: Loader) -> Iterator[Finding]:
    """DataLoader(dataset, sampler=sampler, shuffle=True), and arguments that batch_sampler= excludes."""
    if _is_set(loader.value("sampler")) and loader.flag("shuffle") is True:
        yield module.finding(
            "DP14", argument(loader.call, "shuffle", 2) or loader.call, Certainty.CERTAIN,
            "sampler= and shuffle=True exclude each other",
            "leave out shuffle; a sampler decides the order", [_remove_shuffle(module, loader)])
    if _is_set(loader.value("batch_sampler")):
        size = loader.value("batch_size")
        clashes = [name for name in ("shuffle", "drop_last") if loader.flag(name) is True]
        clashes += ["sampler"] if _is_set(loader.value("sampler")) else []
        clashes += ["batch_size"] if size is not None and module.constant(size) not in (1, None) else []
        if clashes:
            yield module.finding(
                "DP14", loader.call, Certainty.CERTAIN, f"batch_sampler= excludes {', '.join(clashes)}",
                f"leave out {', '.join(clashes)}: the batch sampler decides it",
                [remove_argument(module, loader.call, name) for name in clashes],
                unsafe="sampler" in clashes)


def _find_missing_set_epoch(module: Module) -> Iterator[Finding]:
    if module.mentions(module.source.tree, *_CALLS_SET_EPOCH) or _has_trainer(module):
        return
    loops = [loop for loop in module.loops if isinstance(loop, ast.For)
             and "epoch" in text_of(loop.target).lower()]
    if not loops and not training_steps(module):
        return
    reported: list[ast.For] = []
    for call in module.calls_of(library_names.DISTRIBUTED_SAMPLER):
        if not _needs_set_epoch(module, call):
            continue
        loop = _epoch_loop(module, call, loops)
        if loop in reported:
            continue
        yield module.finding(
            "DP14", loop or call, Certainty.LIKELY,
            f"nothing calls set_epoch() on the sampler (line {module.source.place(call.lineno)[0]}), so "
            "every epoch has the same order",
            "call `sampler.set_epoch(epoch)` before each epoch's loop over the loader",
            [_insert_set_epoch(module, module.statement_of(call), loop)])
        if loop is not None:
            reported.append(loop)


def _needs_set_epoch(module: Module, call: ast.Call) -> bool:
    """Whether a sampler shuffles, is only used in this file, and is not for evaluation by its name."""
    shuffle = argument(call, "shuffle", 3)
    if shuffle is not None and module.constant(shuffle) is False:
        return False
    statement = module.statement_of(call)
    names = [text_of(statement.targets[0]) if isinstance(statement, ast.Assign) else "",
             text_of(argument(call, "dataset", 0))]
    return all(is_training_name(name) is not False for name in names) and (
        not _is_passed_elsewhere(module, call))


def _remove_shuffle(module: Module, loader: Loader) -> Edit | None:
    """The edit that removes shuffle, or makes it `sampler is None` if the sampler may be None."""
    sampler, shuffle = loader.value("sampler"), argument(loader.call, "shuffle", 2)
    if isinstance(sampler, (ast.Name, ast.Attribute)) and not (
        (origins := module.origins(sampler)) and all(isinstance(origin, ast.Call) for origin in origins)):
        return replace(shuffle, f"{text_of(sampler)} is None") if shuffle is not None else None
    return remove_argument(module, loader.call, "shuffle")


def _insert_set_epoch(module: Module, statement: ast.stmt, loop: ast.For | None) -> Edit | None:
    """The edit that adds sampler.set_epoch(epoch) as the first line of the loop; None if that may fail."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if loop is None or not isinstance(loop.target, ast.Name):
        return None
    if not isinstance(target, (ast.Name, ast.Attribute)):
        return None
    if isinstance(target, ast.Attribute):
        if module.class_of(statement) is None or module.class_of(statement) is not module.class_of(loop):
            return None
    elif module.function_of(statement) is not module.function_of(loop):
        return None
    if not isinstance(module.parents.get(statement), (ast.Module, ast.FunctionDef)):
        return None  # in an if, so the sampler may not exist
    call = f"{text_of(target)}.set_epoch({loop.target.id})"
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        return insert_lines(module, loop.body[0], [call])
    return insert_lines(module, loop.body[0], [f"if {text_of(target)} is not None:", f"    {call}"])


def _has_trainer(module: Module) -> bool:
    """Whether the file uses a trainer of a library, which sets the epoch itself."""
    return any(name.rpartition(".")[2] in _TRAINERS for name in module.imports.values())


def _epoch_loop(module: Module, call: ast.Call, loops: list[ast.For]) -> ast.For | None:
    """The loop that should call set_epoch(): of the loops nearest to the sampler, the first that trains."""
    trains = [step.block for step in training_steps(module)]
    owner = module.enclosing(call, ast.ClassDef)
    for scope in (module.function_of(call), owner, module.source.tree):
        near = [loop for loop in loops if scope is not None and module.inside(loop, scope)]
        for loop in near:
            functions = list(module.called_functions(loop))
            if any(module.inside(block, outer) for block in trains for outer in (loop, *functions)):
                return loop
        if len(near) == 1:
            return near[0]
    return None


def _is_passed_elsewhere(module: Module, call: ast.Call) -> bool:
    """Whether the sampler is passed to something other than a DataLoader, which may set its epoch."""
    for other in module.calls:
        builtin = isinstance(other.func, ast.Name) and other.func.id in (
            "list", "len", "iter", "print", "enumerate", "next")
        if (
            module.callee(other) != library_names.LOADER
            and not builtin
            and any(
                isinstance(item, ast.Name) and call in module.origins(item)
                for item in [*other.args, *(keyword.value for keyword in other.keywords)])
        ):
            return True
    return isinstance(module.parents.get(call), ast.Return)


def _is_set(value: ast.expr | None) -> bool:
    """Whether an argument is certainly not None."""
    return (
        value is not None and not is_none(value)
        and not isinstance(value, ast.IfExp))
