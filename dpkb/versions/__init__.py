"""Which releases of libraries have the names that code uses, and what their messages about missing names mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpkb.versions.messages import Explanation

_SIGNS = (
    "cannot import name",
    "No module named",
    "has no attribute",
    "unexpected keyword",
    " positional arg",
    "np.",
)


def explain_names(lines: Sequence[str]) -> list[Explanation]:
    """What the history of the libraries says of error messages about missing names."""
    # Most logs have none of these, and need not load the history.
    if not any(sign in line for line in lines for sign in _SIGNS):
        return []
    from dpkb.versions.messages import explain

    return explain(lines)
