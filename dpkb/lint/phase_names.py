"""Names that mean training, evaluation or a test."""

import re
from pathlib import Path

from dpkb.lint.nodes import Function
from dpkb.lint.source_file import SourceFile

_EVALUATION_WORD = re.compile(
    r"(val|vals|dev)(set|loader|dl|dataset|data|ds)?\d*|(valid|eval|test|infer|predict)\w*"
)


def is_training_name(name: str) -> bool | None:
    """True for a name that means training, False for one that means evaluation, None for others."""
    words = re.findall(r"[A-Za-z][a-z0-9]*|[A-Z]+(?![a-z])", name)
    if any(_EVALUATION_WORD.fullmatch(word.lower()) for word in words):
        return False
    return True if any(word.lower().startswith("train") for word in words) else None


def is_test_file(file: SourceFile) -> bool:
    """Whether a file belongs to the tests: they may run one step, or a model in the wrong mode, on purpose."""
    *folders, name = Path(file.source.name).parts
    return (
        name.startswith(("test_", "conftest"))
        or name.endswith("_test.py")
        or any(folder in ("tests", "test", "testing", "unittests") for folder in folders[-2:])
    )


def is_test_function(file: SourceFile, function: Function) -> bool:
    """Whether a function is a test of pytest. In a program, test_model(model, loader) is an evaluation."""
    return function.name == "_test" or (
        function.name.startswith("test_") and (is_test_file(file) or not file.scopes.parameters(function))
    )
