"""T5: workers that are started again for every epoch."""

import ast
from collections.abc import Iterator

from dpkb.lint.loaders import Loader, find_loaders, find_loops_over_loaders, loader_of
from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file
from dpkb.lint.training_steps import find_training_blocks

LOOKS_FOR = "A loader created in the loop over epochs; epochs without persistent_workers; next(iter(loader))."


def check(file: SourceFile) -> Findings:
    for loader in find_loaders(file):
        if not loader.may_have_workers:
            continue
        dataset = text_of(loader.value("dataset"))
        epoch_loops = [(loop, dataset) for loop in _epoch_loops_around(file, loader.call)]
        epoch_loops += _epoch_loops_of_caller(file, loader)
        # A loop that changes the dataset needs a new loader.
        if any(
            name.split(".")[0].split("(")[0] not in _roots_of_targets(file, loop)
            for loop, name in epoch_loops
        ):
            yield file.finding(
                "T5",
                loader.call,
                Certainty.LIKELY,
                "a new loader in each epoch starts its workers again, also with persistent_workers=True",
                "create the loader before the loop, with persistent_workers=True",
            )
        elif loader.flag("persistent_workers") is False and _runs_several_epochs(file, loader):
            yield file.finding(
                "T5",
                loader.call,
                Certainty.HINT,
                "starts its workers again in every epoch",
                "pass persistent_workers=True",
            )
    yield from _find_first_batches(file)


def _epoch_loops_around(file: SourceFile, node: ast.AST) -> list[ast.For]:
    """The loops over epochs around a node: for epoch in ..., for e in range(args.epochs)."""
    return [
        loop
        for loop in file.tree.loops_around(node)
        if isinstance(loop, ast.For)
        and ("epoch" in text_of(loop.target).lower() or "epoch" in text_of(loop.iter).lower())
        and text_of(loop.iter.func if isinstance(loop.iter, ast.Call) else loop.iter)
        in ("range", "trange", "tqdm", "enumerate")
    ]


def _epoch_loops_of_caller(file: SourceFile, loader: Loader) -> Iterator[tuple[ast.For, str]]:
    """The loops over epochs that call the function of this loader, each with the dataset that it passes."""
    function, dataset = file.tree.function_of(loader.call), loader.value("dataset")
    if (
        function is None
        or not isinstance(dataset, ast.Name)
        or not any(file.tree.is_inside(loop, function) for loop in find_loops_over_loaders(file)[loader.call])
    ):
        return
    names = [parameter.arg for parameter in file.scopes.parameters(function)]
    if dataset.id not in names or len(file.scopes.bindings(dataset)) > 1:
        return
    for call in file.definitions.find_calls_of(function):
        value = find_argument(call, dataset.id, names.index(dataset.id) - (names[0] == "self"))
        if isinstance(value, (ast.Name, ast.Attribute)):
            yield from ((loop, text_of(value)) for loop in _epoch_loops_around(file, call))


def _find_first_batches(file: SourceFile) -> Findings:
    """next(iter(loader)) in each iteration of a loop."""
    for call in file.scopes.calls_by_name.get("next", ()):
        inner = call.args[0] if call.args else None
        loops = file.tree.loops_around(call)
        if (
            isinstance(call.func, ast.Name)
            and isinstance(inner, ast.Call)
            and text_of(inner.func) == "iter"
            and inner.args
            and (loader := loader_of(file, inner.args[0])) is not None
            and loader.may_have_workers
            and loops
            and not _epoch_loops_around(file, call)
            and not any(
                isinstance(node, (ast.If, ast.Try)) and file.tree.is_inside(node, loops[0])
                for node in file.tree.parents_of(call)
            )
            and not file.tree.is_inside(loader.call, loops[0])
        ):
            yield file.finding(
                "T5",
                call,
                Certainty.LIKELY,
                f"`{text_of(call)}` starts the workers again for each batch, and discards what they read "
                "ahead",
                f"create `batches = iter({text_of(inner.args[0])})` once, and again at StopIteration",
            )


@once_per_file
def _roots_of_targets(file: SourceFile, loop: ast.For) -> set[str]:
    """What the targets of the assignments in a loop begin with."""
    return {
        text_of(target).split(".")[0]
        for node in file.tree.within(loop, ast.Assign)
        for target in node.targets
    }


def _runs_several_epochs(file: SourceFile, loader: Loader) -> bool:
    """Whether the training loop over a loader is in another loop."""
    return any(
        file.tree.first(find_training_blocks(file), loop) is loop and file.tree.loops_around(loop)
        for loop in find_loops_over_loaders(file)[loader.call]
    )
