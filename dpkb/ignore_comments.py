"""Comments that silence findings of lint and audit: `# dpkb: ignore[DP1]`, or `# dpkb: ignore` for all."""

from __future__ import annotations

import re

from dpkb.ids import normalize_id

# `# dpkb: ignore` must end there: `ignored` is another word, and a list of ids with a typing error must not
# silence all findings.
_COMMENT = re.compile(r"#[^\n]*?\bdpkb:\s*ignore(?:\s*\[([A-Za-z0-9 ,_-]*)\]|(?!\w|\s*\[))")


def is_silenced(entry_id: str, line: str) -> bool:
    """Whether one of the comments in this line of code silences the findings of an entry."""
    lists = [comment[1] for comment in _COMMENT.finditer(line)]
    return any(
        ids is None or entry_id in {normalize_id(word.strip()) for word in ids.split(",")} for ids in lists
    )
