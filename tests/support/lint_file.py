"""Parses a few lines of code for the rules of lint, and finds expressions in them."""

from __future__ import annotations

import ast
import textwrap

from dpkb.lint import run
from dpkb.lint.source_file import SourceFile
from dpkb.source_code.parsed_code import ParsedCode

# N3: `self.layers` in line 7 is a list of layers.
LIST_OF_LAYERS = """import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(3)]
"""
HEAD = "import torch\nimport torch.nn as nn\nfrom torch.utils.data import DataLoader\n"


def file_of(code: str, head: str = HEAD, name: str = "train.py") -> SourceFile:
    """A file with this code below the usual imports."""
    text = head + textwrap.dedent(code)
    return SourceFile(ParsedCode(name, text, ast.parse(text)))


def last(file: SourceFile) -> ast.expr:
    """The expression that is the last line of a file."""
    line = file.tree.root.body[-1]
    assert isinstance(line, ast.Expr)
    return line.value


def named(file: SourceFile, name: str) -> ast.expr:
    """The outermost expression with this source: the first of those that are equally deep in the tree."""
    return next(
        node for node in ast.walk(file.tree.root) if isinstance(node, ast.expr) and ast.unparse(node) == name
    )


def lint_file(file, selection):
    """The findings in one file, and how many more a comment silences. Raises what a rule raises."""
    return run._select_one_per_line(
        finding for _, found in run._run_rules(file, selection) for finding in found
    )
