"""Makes text safe to print: escapes control characters, which entries and logs may contain, and wraps it."""

from __future__ import annotations

import re
import sys
import textwrap

# Control characters except tab and newline, characters that reorder or hide text on the screen, and code
# points that are not characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)

# The start of each line that dpkb adds to the output of a command.
NOTE_START = "dpkb: "


def escape_controls(text: str) -> str:
    """The text with every control character as an escape such as \\x1b.

    Newlines and tabs stay; a carriage return is removed.
    """
    return _UNSAFE.sub(_escape_character, text)


def name_file(file: str) -> str:
    """The name of a file for a reader: of a cell of this notebook, that in its tracebacks, such as "Cell In[3]"."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    # IPython 7 has no names for cells.
    find_name = getattr(getattr(shell, "compile", None), "format_code_name", lambda file: None)
    return " ".join(find_name(file) or [file])


def cut_path(path: str, room: int) -> str:
    """A path, or its end if there is no room for all of it."""
    return path if len(path) <= room else f"…{path[1 - room :]}"


def join_lines(text: str, width: int | None = None) -> str:
    """Safe text on one line, cut with an ellipsis if it is longer than `width`."""
    line = " ".join(escape_controls(text).split())
    return line if width is None or len(line) <= width else line[: width - 1] + "…"


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 file", "2 files". plural: needed if it is not the noun with an s."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def wrap(text: str, width: int, indent: str) -> str:
    """Safe text in indented lines of at most `width` columns. A longer word is not split."""
    wrapped = textwrap.fill(
        " ".join(escape_controls(text).split()),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped or indent


# Each ASCII character is as wide as the original, so that tables keep their columns.
_LOOKALIKES = str.maketrans("✓✗·–—…•│←→×±≥≤†‘’“”", "+x.--.*|<>x~><#''\"\"")


def replace_with_ascii(error: UnicodeError) -> tuple[str, int]:
    """A handler for `codecs.register_error`: a similar ASCII character, or an escape such as \\u4e2d."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_LOOKALIKES)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return "" if code == 0x0D else f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
