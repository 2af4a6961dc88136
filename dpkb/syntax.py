"""A script's text as a syntax tree, whatever stands in it."""

from __future__ import annotations

import ast
import warnings


def tree(source: str, feature_version: tuple[int, int] | None = None) -> ast.Module:
    """The tree of a script. Raises SyntaxError, also where it nests too deeply to be read."""
    with warnings.catch_warnings():
        # `1if x` and the like: told when the script runs, and to no reader of the catalogue.
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            return ast.parse(source, feature_version=feature_version)
        except (MemoryError, RecursionError):
            raise SyntaxError("nested too deeply") from None
        except ValueError as error:  # a zero byte, on older Pythons
            raise SyntaxError(str(error)) from None
