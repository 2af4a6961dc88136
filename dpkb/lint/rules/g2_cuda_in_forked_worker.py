"""G2: CUDA in a DataLoader worker."""

import ast

from dpkb.lint.classes import ClassInfo
from dpkb.lint.loaders import find_datasets, find_loaders
from dpkb.lint.nodes import Function, self_attribute, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = '.cuda() or .to("cuda") in __getitem__ or in a collate_fn, with workers.'


def check(file: SourceFile) -> Findings:
    for info, used_by in find_datasets(file).items():
        with_workers = [loader for loader in used_by if loader.may_have_workers]
        spawned = all(loader.spawns for loader in with_workers)
        for name, method in info.methods.items() if with_workers else ():
            if name in ("__getitem__", "__iter__"):
                yield from _find_cuda_calls(file, method, spawned, info)
    for loader in find_loaders(file):
        value = loader.value("collate_fn")
        function = (
            value
            if isinstance(value, ast.Lambda)
            else (file.definitions.find_function(value) if value is not None else None)
        )
        if function is not None and loader.may_have_workers:
            yield from _find_cuda_calls(file, function, loader.spawns, None)


def _find_cuda_calls(
    file: SourceFile, function: Function | ast.Lambda, spawned: bool, info: ClassInfo | None
) -> Findings:
    for call in file.tree.within(function, ast.Call):
        other = (
            info.methods.get(self_attribute(call.func, function))
            if (info and not isinstance(function, ast.Lambda))
            else None
        )
        if other is not None and other is not function and other.name not in ("__getitem__", "__iter__"):
            yield from _find_cuda_calls(file, other, spawned, None)
        if not isinstance(call.func, ast.Attribute) or not _moves_to_cuda(file, call):
            continue
        effect = (
            "runs in a worker, and each worker then takes GPU memory"
            if spawned
            else "runs in a forked worker, where CUDA cannot be initialised again"
        )
        yield file.finding(
            "G2",
            call,
            Certainty.HINT if spawned else Certainty.LIKELY,
            f"`{text_of(call)}` {effect}",
            "return CPU tensors, and move the batch in the training loop",
        )


def _moves_to_cuda(file: SourceFile, call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr == "cuda":
        return not file.scopes.full_name(call.func)
    values = [keyword.value for keyword in call.keywords if keyword.arg == "device"]
    values += call.args[:1] if call.func.attr == "to" else []
    # device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return any(
        isinstance(node, ast.Constant) and str(node.value).startswith("cuda")
        for value in values
        for origin in file.values.origins(value)
        for node in ast.walk(origin)
    )
