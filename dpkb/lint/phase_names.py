"""Names that mean training or evaluation."""

from __future__ import annotations

import re

_EVALUATION_WORD = re.compile(
    r"(val|vals|dev)(set|loader|dl|dataset|data|ds)?\d*|(valid|eval|test|infer|predict)\w*"
)


def is_training_name(name: str) -> bool | None:
    """True for a name that means training, False for one that means evaluation, None for others."""
    words = re.findall(r"[A-Za-z][a-z0-9]*|[A-Z]+(?![a-z])", name)
    if any(_EVALUATION_WORD.fullmatch(word.lower()) for word in words):
        return False
    return True if any(word.lower().startswith("train") for word in words) else None
