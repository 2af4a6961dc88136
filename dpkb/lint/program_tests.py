"""The tests of a program: a test may run a model for one step, or in the wrong mode, on purpose."""

from __future__ import annotations

from pathlib import Path

from dpkb.lint.nodes import Function
from dpkb.lint.source_file import SourceFile


def is_test_file(file: SourceFile) -> bool:
    """Whether a file belongs to the tests, by its name or its folder."""
    *folders, name = Path(file.source.name).parts
    return (
        name.startswith(("test_", "conftest"))
        or name.endswith("_test.py")
        or any(folder in ("tests", "test", "testing", "unittests") for folder in folders[-2:])
    )


def is_test_function(file: SourceFile, function: Function) -> bool:
    """Whether a function is a test of pytest. In a program, test_model(model, loader) is an evaluation."""
    return function.name.startswith("test_") and (is_test_file(file) or not file.scopes.parameters(function))
