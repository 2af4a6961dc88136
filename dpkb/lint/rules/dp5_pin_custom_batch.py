"""DP5: a batch class that pin_memory skips."""

import ast

from dpkb.lint.classes import ClassInfo
from dpkb.lint.loaders import find_loaders
from dpkb.lint.nodes import last_name
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "A collate_fn that returns an object without pin_memory(), in a loader with pin_memory=True."

_KNOWN_BASES = (
    "tuple",
    "list",
    "dict",
    "NamedTuple",
    "UserDict",
    "OrderedDict",
    "Mapping",
    "Sequence",
    "TypedDict",
    "BatchEncoding",
    "Batch",
    "Data",
    "Tensor",
)


def check(file: SourceFile) -> Findings:
    for loader in find_loaders(file):
        value = loader.value("collate_fn") if loader.flag("pin_memory") is True else None
        function = file.definitions.find_function(value) if value is not None else None
        if function is None and isinstance(value, (ast.Name, ast.Attribute)):
            class_info = file.definitions.find_class(value)
            function = class_info.method("__call__") if class_info else None
        for node in file.tree.within(function, ast.Return) if function is not None else ():
            info = file.definitions.find_class(node.value.func) if isinstance(node.value, ast.Call) else None
            if info and not info.method("pin_memory") and not _is_container(info):
                may_inherit = any(
                    isinstance(item, ClassInfo) and item.has_unknown_base for item in info.ancestors
                )
                yield file.finding(
                    "DP5",
                    info.node,
                    Certainty.LIKELY if may_inherit else Certainty.CERTAIN,
                    f"pin_memory=True does nothing for `{info.name}`: DataLoader does not know this class, "
                    "and it has no method pin_memory()",
                    f"give `{info.name}` a method pin_memory() that pins its tensors and returns self",
                )


def _is_container(info: ClassInfo) -> bool:
    """Whether a class has a base class, by its name, whose contents DataLoader pins."""
    bases = {
        (base if isinstance(base, str) else base.name).rpartition(".")[2]
        for base in info.ancestors
        if base is not info
    }
    bases |= {
        last_name(base) for item in info.ancestors if isinstance(item, ClassInfo) for base in item.node.bases
    }
    return not bases.isdisjoint(_KNOWN_BASES)
