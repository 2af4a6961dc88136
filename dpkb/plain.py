"""Text of entries, scripts and logs made safe for a terminal: no escapes, no hidden direction marks."""

from __future__ import annotations

import re

# C0 without tab and newline, DEL, C1, and the marks that reorder or hide text on screen.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """The text with every control character written out, as in \\x1b. Newline and tab stay."""
    return _UNSAFE.sub(_written_out, text)


def one_line(text: str, width: int | None = None) -> str:
    """Safe text folded to one line, cut with an ellipsis where it is wider than `width`."""
    line = " ".join(plain(text).split())
    return line if width is None or len(line) <= width else line[: width - 1] + "…"


def wrapped(text: str, width: int, indent: str) -> str:
    """Safe text as lines of at most `width` columns, each after `indent`; long words stay whole."""
    lines, line = [], ""
    for word in plain(text).split():
        if line and len(indent) + len(line) + 1 + len(word) > width:
            lines.append(indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, indent + line])


# As wide as what they stand for, so that tables keep their columns.
_LOOKALIKES = str.maketrans("✓✗·–—…•│←→×±≥≤‘’“”", "+x.--.*|<>x~><''\"\"")


def in_ascii(error: UnicodeError) -> tuple[str, int]:
    """An error handler for a terminal that cannot show a mark: a letter like it, else its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_LOOKALIKES)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _written_out(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return "" if code == 0x0D else f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
