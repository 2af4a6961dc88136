"""DP14: a sampler together with shuffle=True, or without set_epoch()."""

import ast

from dpkb.lint import library_names
from dpkb.lint.edits import insert_lines, remove_argument, replace
from dpkb.lint.loaders import Loader, find_loaders
from dpkb.lint.nodes import (
    as_constant,
    called_name,
    find_argument,
    is_none,
    self_attribute,
    self_name,
    text_of,
)
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.source_file import Certainty, Edit, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import find_training_blocks, find_training_steps

LOOKS_FOR = (
    "Arguments of DataLoader that exclude each other, and a DistributedSampler whose epoch is never set."
)

# Words of code that calls set_epoch, or uses a library that does.
_CALLS_SET_EPOCH = ("set_epoch", "accelerator", "Accelerator", "LightningModule")
_READERS = ("list", "len", "iter", "print", "enumerate", "next", "type", "isinstance", "str")
_TRAINERS = ("Trainer", "LightningModule", "LightningDataModule", "Accelerator", "Fabric")


def check(file: SourceFile) -> Findings:
    for loader in find_loaders(file):
        yield from _find_excluded_arguments(file, loader)
    yield from _find_missing_set_epoch(file)


def _find_excluded_arguments(file: SourceFile, loader: Loader) -> Findings:
    """DataLoader(dataset, sampler=sampler, shuffle=True), and arguments that batch_sampler= excludes."""
    is_new_sampler = _is_new_object(file, loader.value("sampler"))
    is_refused = file.scopes.callee(loader.call) == library_names.LOADER
    if _is_set(loader.value("sampler")) and loader.flag("shuffle") is True:
        yield file.finding(
            "DP14",
            loader.argument("shuffle") or loader.call,
            Certainty.CERTAIN if is_new_sampler and is_refused else Certainty.LIKELY,
            "sampler= and shuffle=True exclude each other",
            "leave out shuffle; a sampler decides the order",
            [_remove_shuffle(file, loader)],
            safe=is_refused and is_new_sampler,
        )
    if _is_set(loader.value("batch_sampler")):
        size = loader.value("batch_size")
        clashes = [name for name in ("shuffle", "drop_last") if loader.flag(name) is True]
        clashes += ["sampler"] if _is_set(loader.value("sampler")) else []
        clashes += ["batch_size"] if size is not None and file.values.constant(size) not in (1, None) else []
        is_sampler = _is_new_object(file, loader.value("batch_sampler"))
        is_certain = is_refused and is_sampler and (is_new_sampler or clashes != ["sampler"])
        if clashes:
            yield file.finding(
                "DP14",
                loader.call,
                Certainty.CERTAIN if is_certain else Certainty.LIKELY,
                f"batch_sampler= excludes {', '.join(clashes)}",
                f"leave out {', '.join(clashes)}: the batch sampler decides it",
                [remove_argument(file, loader.call, name) if is_sampler else None for name in clashes],
                safe=is_refused and "sampler" not in clashes,
            )


def _find_missing_set_epoch(file: SourceFile) -> Findings:
    # A trainer of a library sets the epoch itself.
    imported = {name.rpartition(".")[2] for name in file.scopes.imports.values()}
    if file.tree.mentions(file.tree.root, *_CALLS_SET_EPOCH) or not imported.isdisjoint(_TRAINERS):
        return
    loops = _loops_over_epochs(file)
    if not loops and not find_training_steps(file):
        return
    samplers = [
        call
        for call in file.scopes.calls_of(library_names.DISTRIBUTED_SAMPLER)
        if _needs_set_epoch(file, call)
    ]
    # One finding for each loop, about its first sampler.
    first_samplers = {_epoch_loop(file, call, loops) or call: call for call in reversed(samplers)}
    for place, call in first_samplers.items():
        loop = place if isinstance(place, ast.For) else None
        yield file.finding(
            "DP14",
            place,
            Certainty.LIKELY,
            f"nothing calls set_epoch() on the sampler (line {file.source.place(call.lineno)[0]}), so "
            "every epoch has the same order",
            "call `sampler.set_epoch(epoch)` before each epoch's loop over the loader",
            [_insert_set_epoch(file, call, loop)],
        )


def _needs_set_epoch(file: SourceFile, call: ast.Call) -> bool:
    """Whether a sampler shuffles, is only used in this file, and is not for evaluation by its name."""
    shuffle = find_argument(call, "shuffle", 3)
    if shuffle is not None and file.values.constant(shuffle) is False:
        return False
    statement = file.tree.statement_of(call)
    names = [
        text_of(statement.targets[0]) if isinstance(statement, ast.Assign) else "",
        text_of(find_argument(call, "dataset", 0)),
    ]
    return (
        all(is_training_name(name) is not False for name in names)
        and call not in _passed_values(file)
        and not isinstance(file.tree.parents.get(call), ast.Return)
    )


def _remove_shuffle(file: SourceFile, loader: Loader) -> Edit | None:
    """The edit that removes shuffle, or makes it `sampler is None` if the sampler may be None."""
    sampler, shuffle = loader.argument("sampler"), loader.argument("shuffle")
    if shuffle is None or as_constant(shuffle) is not True:
        return None
    if _is_new_object(file, sampler):
        return remove_argument(file, loader.call, "shuffle")
    is_name = isinstance(sampler, (ast.Name, ast.Attribute))
    return replace(file, shuffle, f"{text_of(sampler)} is None") if is_name else None


def _is_new_object(file: SourceFile, value: ast.expr | None) -> bool:
    """Whether a value is a new sampler, and not the result of a function, which may be None."""
    if isinstance(value, ast.Name):
        binding = file.scopes.only_binding(value) if len(file.scopes.bindings(value)) == 1 else None
        value = binding.value if binding and binding.index is None and not binding.is_item else None
    if not isinstance(value, ast.Call):
        return False
    callee = file.scopes.callee(value)
    return file.definitions.find_class(value.func) is not None or (
        callee.startswith("torch.utils.data.") and callee.endswith("Sampler")
    )


def _insert_set_epoch(file: SourceFile, sampler: ast.Call, loop: ast.For | None) -> Edit | None:
    """The edit that adds sampler.set_epoch(epoch) as the first line of the loop; None if that may fail."""
    statement = file.tree.statement_of(sampler)
    if (
        loop is None
        or not isinstance(loop.target, ast.Name)
        or not _counts(loop.iter)
        or not isinstance(statement, ast.Assign)
        or not _exists_in_loop(file, statement, loop)
    ):
        return None
    target, value = text_of(statement.targets[0]), statement.value
    call = f"{target}.set_epoch({loop.target.id})"
    if value is sampler:
        return insert_lines(file, loop.body[0], [call])
    may_be_none = (
        isinstance(value, ast.IfExp)
        and sampler in (value.body, value.orelse)
        and (is_none(value.body) or is_none(value.orelse))
    )
    lines = [f"if {target} is not None:", f"    {call}"]
    return insert_lines(file, loop.body[0], lines) if may_be_none else None


def _counts(iterable: ast.expr) -> bool:
    """Whether a loop counts: over range(n), tqdm(range(n)) or trange(n)."""
    if isinstance(iterable, ast.Call) and called_name(iterable) == "tqdm" and iterable.args:
        iterable = iterable.args[0]
    return isinstance(iterable, ast.Call) and called_name(iterable) in ("range", "trange")


def _exists_in_loop(file: SourceFile, statement: ast.Assign, loop: ast.For) -> bool:
    """Whether the target of a statement has its value when a loop runs."""
    target, function, user = (
        statement.targets[0],
        file.tree.function_of(statement),
        file.tree.function_of(loop),
    )
    if not isinstance(file.tree.parents.get(statement), (ast.Module, ast.FunctionDef)):
        return False  # in an if
    if isinstance(target, ast.Name):
        return (
            function is user
            and statement.lineno < loop.lineno
            and file.scopes.only_binding(target) is not None
        )
    owner = file.definitions.class_of_method(function) if function else None
    return (
        function is not None
        and user is not None
        and owner is not None
        and owner is file.definitions.class_of_method(user)
        and function.name == "__init__"
        and len(owner.attributes.get(self_attribute(target, function), ())) == 1
        and self_name(user) == self_name(function)
        # It may run before the sampler is created.
        and not file.tree.mentions(function, user.name)
    )


def _epoch_loop(file: SourceFile, call: ast.Call, loops: list[ast.For]) -> ast.For | None:
    """The loop that should call set_epoch(): of the loops nearest to the sampler, the first that trains.

    loops: those over epochs, in the order of the text.
    """
    function = file.tree.function_of(call)
    for scope in (function, file.tree.enclosing(call, ast.ClassDef), file.tree.root):
        if scope is None:
            continue
        # A loop before the sampler in its function has no sampler yet.
        after, training = file.tree.rest_of(scope, call), _loops_that_train(file)
        loop = file.tree.first(training, after) or next(
            (
                loop
                for loop in file.tree.select(training, scope)
                if file.tree.function_of(loop) is not function
            ),
            None,
        )
        if loop is not None:
            return loop
        only = file.tree.select(loops, after)
        if len(only) == 1:
            return only[0]
    return None


def _loops_over_epochs(file: SourceFile) -> list[ast.For]:
    return [loop for loop in file.tree.nodes(ast.For) if "epoch" in text_of(loop.target).lower()]


@once_per_file
def _loops_that_train(file: SourceFile) -> list[ast.For]:
    """The loops over epochs that train, themselves or in a function that they call, in the order of the text."""
    blocks = find_training_blocks(file)
    return [
        loop
        for loop in _loops_over_epochs(file)
        if any(
            file.tree.first(blocks, outer) is not None
            for outer in (loop, *file.definitions.find_called_functions(loop))
        )
    ]


@once_per_file
def _passed_values(file: SourceFile) -> set[ast.expr]:
    """What is passed to something other than a DataLoader, which may set the epoch of a sampler."""
    return {
        value
        for call in file.tree.calls
        if file.scopes.callee(call) != library_names.LOADER and text_of(call.func) not in _READERS
        for item in [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(item, ast.Name)
        for value in file.values.origins(item)
    }


def _is_set(value: ast.expr | None) -> bool:
    """Whether an argument is given, and is neither None nor chosen by a condition; a name may be None."""
    return value is not None and not is_none(value) and not isinstance(value, ast.IfExp)
