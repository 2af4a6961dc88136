"""Comments that silence findings: `# dpkb: ignore[DP1]`, or `# dpkb: ignore` for all findings of the line."""

from __future__ import annotations

import re

# Without ids no word may follow at once (`ignored`, `ignore_all`), and no bracket: a list with a typing error
# in it must not silence everything.
_COMMENT = re.compile(r"#[^\n]*?\bdpkb:\s*ignore(?:\s*\[([A-Za-z0-9 ,]*)\]|(?!\w|\s*\[))")


def is_silenced(entry_id: str, line: str) -> bool:
    """Whether a comment in this line of code silences the findings of an entry."""
    comment = _COMMENT.search(line)
    if not comment:
        return False
    ids = comment[1]
    return ids is None or entry_id in {word.strip().upper() for word in ids.split(",")}
