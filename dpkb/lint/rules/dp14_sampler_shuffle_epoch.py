"""DP14: a sampler together with shuffle=True, or without set_epoch()."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.edits import insert_lines, remove_argument, replace
from dpkb.lint.finding import Certainty, Edit, Finding
from dpkb.lint.loaders import Loader, find_loaders
from dpkb.lint.nodes import find_argument, is_none, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.source_file import SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = (
    "Arguments of DataLoader that exclude each other, and a DistributedSampler whose epoch is never set.")

# Words of code that calls set_epoch, or uses a library that does.
_CALLS_SET_EPOCH = ("set_epoch", "accelerator", "Accelerator", "LightningModule")
_TRAINERS = ("Trainer", "LightningModule", "LightningDataModule", "Accelerator", "Fabric")


def check(file: SourceFile) -> Iterator[Finding]:
    for loader in find_loaders(file):
        yield from _find_excluded_arguments(file, loader)
    yield from _find_missing_set_epoch(file)


def _find_excluded_arguments(file: SourceFile, loader: Loader) -> Iterator[Finding]:
    """DataLoader(dataset, sampler=sampler, shuffle=True), and arguments that batch_sampler= excludes."""
    if _is_set(loader.value("sampler")) and loader.flag("shuffle") is True:
        yield file.finding(
            "DP14", find_argument(loader.call, "shuffle", 2) or loader.call, Certainty.CERTAIN,
            "sampler= and shuffle=True exclude each other",
            "leave out shuffle; a sampler decides the order", [_remove_shuffle(file, loader)])
    if _is_set(loader.value("batch_sampler")):
        size = loader.value("batch_size")
        clashes = [name for name in ("shuffle", "drop_last") if loader.flag(name) is True]
        clashes += ["sampler"] if _is_set(loader.value("sampler")) else []
        clashes += ["batch_size"] if size is not None and file.values.constant(size) not in (1, None) else []
        if clashes:
            yield file.finding(
                "DP14", loader.call, Certainty.CERTAIN, f"batch_sampler= excludes {', '.join(clashes)}",
                f"leave out {', '.join(clashes)}: the batch sampler decides it",
                [remove_argument(file, loader.call, name) for name in clashes],
                unsafe="sampler" in clashes)


def _find_missing_set_epoch(file: SourceFile) -> Iterator[Finding]:
    if file.tree.mentions(file.tree.root, *_CALLS_SET_EPOCH) or _has_trainer(file):
        return
    loops = [loop for loop in file.tree.loops if isinstance(loop, ast.For)
             and "epoch" in text_of(loop.target).lower()]
    if not loops and not find_training_steps(file):
        return
    reported: list[ast.For] = []
    for call in file.scopes.calls_of(library_names.DISTRIBUTED_SAMPLER):
        if not _needs_set_epoch(file, call):
            continue
        loop = _epoch_loop(file, call, loops)
        if loop in reported:
            continue
        yield file.finding(
            "DP14", loop or call, Certainty.LIKELY,
            f"nothing calls set_epoch() on the sampler (line {file.source.place(call.lineno)[0]}), so "
            "every epoch has the same order",
            "call `sampler.set_epoch(epoch)` before each epoch's loop over the loader",
            [_insert_set_epoch(file, file.tree.statement_of(call), loop)])
        if loop is not None:
            reported.append(loop)


def _needs_set_epoch(file: SourceFile, call: ast.Call) -> bool:
    """Whether a sampler shuffles, is only used in this file, and is not for evaluation by its name."""
    shuffle = find_argument(call, "shuffle", 3)
    if shuffle is not None and file.values.constant(shuffle) is False:
        return False
    statement = file.tree.statement_of(call)
    names = [text_of(statement.targets[0]) if isinstance(statement, ast.Assign) else "",
             text_of(find_argument(call, "dataset", 0))]
    return all(is_training_name(name) is not False for name in names) and (
        not _is_passed_elsewhere(file, call))


def _remove_shuffle(file: SourceFile, loader: Loader) -> Edit | None:
    """The edit that removes shuffle, or makes it `sampler is None` if the sampler may be None."""
    sampler, shuffle = loader.value("sampler"), find_argument(loader.call, "shuffle", 2)
    if isinstance(sampler, (ast.Name, ast.Attribute)) and not (
        (origins := file.values.origins(sampler))
        and all(isinstance(origin, ast.Call) for origin in origins)):
        return replace(shuffle, f"{text_of(sampler)} is None") if shuffle is not None else None
    return remove_argument(file, loader.call, "shuffle")


def _insert_set_epoch(file: SourceFile, statement: ast.stmt, loop: ast.For | None) -> Edit | None:
    """The edit that adds sampler.set_epoch(epoch) as the first line of the loop; None if that may fail."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if loop is None or not isinstance(loop.target, ast.Name):
        return None
    if not isinstance(target, (ast.Name, ast.Attribute)):
        return None
    if isinstance(target, ast.Attribute):
        owner = file.definitions.class_of(statement)
        if owner is None or owner is not file.definitions.class_of(loop):
            return None
    elif file.tree.function_of(statement) is not file.tree.function_of(loop):
        return None
    if not isinstance(file.tree.parents.get(statement), (ast.Module, ast.FunctionDef)):
        return None  # in an if, so the sampler may not exist
    call = f"{text_of(target)}.set_epoch({loop.target.id})"
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        return insert_lines(file, loop.body[0], [call])
    return insert_lines(file, loop.body[0], [f"if {text_of(target)} is not None:", f"    {call}"])


def _has_trainer(file: SourceFile) -> bool:
    """Whether the file uses a trainer of a library, which sets the epoch itself."""
    return any(name.rpartition(".")[2] in _TRAINERS for name in file.scopes.imports.values())


def _epoch_loop(file: SourceFile, call: ast.Call, loops: list[ast.For]) -> ast.For | None:
    """The loop that should call set_epoch(): of the loops nearest to the sampler, the first that trains."""
    training_blocks = [training.block for training in find_training_steps(file)]
    owner = file.tree.enclosing(call, ast.ClassDef)
    for scope in (file.tree.function_of(call), owner, file.tree.root):
        loops_near_sampler = [
            loop for loop in loops if scope is not None and file.tree.is_inside(loop, scope)]
        for loop in loops_near_sampler:
            functions = list(file.definitions.called_functions(loop))
            if any(file.tree.is_inside(block, outer)
                   for block in training_blocks for outer in (loop, *functions)):
                return loop
        if len(loops_near_sampler) == 1:
            return loops_near_sampler[0]
    return None


def _is_passed_elsewhere(file: SourceFile, call: ast.Call) -> bool:
    """Whether the sampler is passed to something other than a DataLoader, which may set its epoch."""
    for other in file.tree.calls:
        builtin = isinstance(other.func, ast.Name) and other.func.id in (
            "list", "len", "iter", "print", "enumerate", "next")
        if (
            file.scopes.callee(other) != library_names.LOADER
            and not builtin
            and any(
                isinstance(item, ast.Name) and call in file.values.origins(item)
                for item in [*other.args, *(keyword.value for keyword in other.keywords)])
        ):
            return True
    return isinstance(file.tree.parents.get(call), ast.Return)


def _is_set(value: ast.expr | None) -> bool:
    """Whether an argument is certainly not None."""
    return (
        value is not None and not is_none(value)
        and not isinstance(value, ast.IfExp))
