"""Digests of samples. The cost of a digest is bounded."""

from __future__ import annotations

import hashlib
from collections import UserDict

from dpkb_audit.tensors import is_array, is_tensor, read_elements

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

# At most this many items of a list or dict are read.
_MAX_LEAVES = 40
# Lists within lists are followed to at most this depth.
_MAX_DEPTH = 4


def digest(value: Any) -> str:
    """8 hexadecimal digits that are equal for equal samples, and almost certainly different for others."""
    text = repr([(path, leaf_text(leaf)) for path, leaf in leaves_of(value)])
    return hashlib.sha1(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def leaves_of(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Path and value of each tensor, array, number and text in a sample, at most 40 on each level."""
    # A batch of the tokenizers of transformers is a UserDict.
    if isinstance(value, (dict, UserDict)) and depth < _MAX_DEPTH:
        for key in list(value)[:_MAX_LEAVES]:
            yield from leaves_of(value[key], f"{path}[{key!r}]", depth + 1)
    elif isinstance(value, (list, tuple)) and depth < _MAX_DEPTH:
        for i, item in enumerate(value[:_MAX_LEAVES]):
            yield from leaves_of(item, f"{path}[{i}]", depth + 1)
    else:
        yield path, value


def leaf_text(value: Any) -> str:
    """A text for one tensor, array, number, text or small object; "" if it has no value."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        return repr(value)
    if isinstance(value, (str, bytes)):
        return repr((len(value), value[:200], value[-200:]))
    if is_tensor(value) or is_array(value):
        return repr((tuple(value.shape), str(value.dtype), read_elements(value)))
    if hasattr(value, "tobytes") and hasattr(value, "size"):  # an image of PIL
        return repr((value.size, hashlib.sha1(value.tobytes()).hexdigest()))
    if hasattr(value, "__dict__") and not callable(value):
        return repr(
            [
                (name, leaf_text(item))
                for name, item in list(vars(value).items())[:20]
                if not hasattr(item, "__dict__")
            ]
        )
    return ""
