"""Digests of samples. The cost of a digest is bounded."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import sha1
from itertools import islice
from typing import Any

from dpkb_audit.object_contents import has_attributes, is_a, items_of, own_attributes, plain
from dpkb_audit.tensors import is_array, is_tensor, read_elements

# Usually at most this many items of a list or dict are read.
_MAX_LEAVES = 40
# Lists within lists are followed to at most this depth.
_MAX_DEPTH = 4


def digest(value: Any) -> str:
    """8 hexadecimal digits that are equal for equal samples, and almost certainly different for others."""
    text = repr([(path, leaf_text(leaf)) for path, leaf in leaves_of(value)])
    return sha1(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def leaves_of(
    value: Any, path: str = "", limit: int = _MAX_LEAVES, depth: int = 0
) -> Iterator[tuple[str, Any]]:
    """Path and value of each tensor, array, number and text in a sample. limit: of those on each level."""
    value = plain(value)
    if is_a(value, dict) and depth < _MAX_DEPTH:
        for place, item in islice(items_of(value), limit):
            yield from leaves_of(item, path + place, limit, depth + 1)
    elif is_a(value, (list, tuple)) and depth < _MAX_DEPTH:
        for i, item in enumerate(value[:limit]):
            yield from leaves_of(item, f"{path}[{i}]", limit, depth + 1)
    else:
        yield path, value


def leaf_text(value: Any) -> str:
    """A text for one tensor, array, number, text or small object; "" if it has no value."""
    if value is None or type(value) in (bool, int, float, complex):
        return repr(value)
    if type(value) in (str, bytes):
        return repr((len(value), value[:200], value[-200:]))
    if is_tensor(value) or is_array(value):
        return repr((tuple(value.shape), str(value.dtype), digest_numbers(read_elements(value))))
    if is_image(value):
        return repr((value.size, sha1(value.tobytes()).hexdigest()))
    if not has_attributes(value):
        return ""
    attributes = list(own_attributes(value).items())[:20]
    return repr([(name, leaf_text(item)) for name, item in attributes if not has_attributes(item)])


def digest_numbers(numbers: list[Any]) -> str:
    """A text for numbers. That of their digits takes ten times as long."""
    try:
        return sha1(array("d", numbers)).hexdigest()
    except (TypeError, OverflowError):  # complex numbers, large integers, texts in an array
        return repr(numbers)


def is_image(value: Any) -> bool:
    """Whether this is an image of PIL."""
    return type(value).__module__.partition(".")[0] == "PIL" and hasattr(value, "tobytes")
