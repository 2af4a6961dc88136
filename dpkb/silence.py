"""Comments that silence findings: `# dpkb: ignore[DP1]`, or without ids all of a line's."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"#[^\n]*?\bdpkb:\s*ignore(?:\[([A-Za-z0-9 ,]*)\])?")


class _Everything(frozenset[str]):
    def __contains__(self, item: object) -> bool:
        return True


def silenced_ids(line: str) -> frozenset[str]:
    """The ids that a comment in this line silences."""
    comment = _COMMENT.search(line)
    if not comment:
        return frozenset()
    if comment[1] is None:
        return _Everything()
    return frozenset(word.strip().upper() for word in comment[1].split(","))
