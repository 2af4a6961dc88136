"""Front matter and other YAML as values with their lines. The only module that imports yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

# Its event interface has no type annotations.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 8
_MAX_CHARACTERS = 200_000
FENCE = "---"
# A YAML escape can write these code points, but UTF-8 cannot encode them.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Located:
    """A YAML value, its line in the file, and its key path."""

    value: Any
    line: int
    key: str


class FrontMatterError(Exception):
    """YAML that cannot be read at all. `line`: its line in the file."""

    def __init__(self, message: str, line: int, key: str | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.key = key


def split(text: str) -> tuple[str, str, int]:
    """An entry's text as (front matter, body, line of the body's first line).

    Raises FrontMatterError if one of the two `---` lines is missing or the front matter is too long.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise FrontMatterError(f"the first line must be {FENCE}, the start of the front matter", 1)
    end = next((i for i, line in enumerate(lines) if i and line.rstrip() == FENCE), None)
    if end is None:
        raise FrontMatterError(f"the front matter never ends: add a line {FENCE} below its last key", 1)
    front = "\n".join(lines[1:end])
    if len(front) > _MAX_CHARACTERS:
        message = f"the front matter has {len(front):,} characters, at most {_MAX_CHARACTERS:,}: shorten it"
        raise FrontMatterError(message, 1)
    return front, "\n".join(lines[end + 1 :]), end + 2


def load(text: str, first_line: int = 2) -> Located:
    """A YAML mapping as a tree of Located values: dicts, lists and scalars.

    first_line: the line of the file that `text` starts at. Raises FrontMatterError for YAML errors,
    aliases, duplicate keys and deep nesting.
    """
    loader = LOADER(text)
    try:
        return _Reader(loader, first_line).read_document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(text for text in (error.problem, error.context) if text)
        line = mark.line + first_line if mark else 1
        raise FrontMatterError(f"not valid YAML here or in the lines above: {message}", line) from None
    except yaml.YAMLError as error:
        raise FrontMatterError(f"not valid YAML: {' '.join(str(error).split())}", 1) from None
    finally:
        loader.dispose()


class _Reader:
    """Builds the tree from YAML's events. PyYAML's own tree builder crashes on deeply nested documents."""

    def __init__(self, loader: Any, first_line: int) -> None:
        self._loader = loader
        self._first_line = first_line
        self._next = loader.get_event

    def read_document(self) -> Located:
        self._next()  # the start of the stream
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent) or not self._loader.check_event(yaml.MappingStartEvent):
            raise FrontMatterError("must be a mapping: lines of `key: value`", self._first_line)
        tree = self._read_value(self._next(), "", 0)
        self._next()  # the end of the document
        more = self._next()
        if not isinstance(more, yaml.StreamEndEvent):
            line = more.start_mark.line + self._first_line
            raise FrontMatterError("a second YAML document starts here: remove this --- line", line)
        return tree

    def _read_value(self, event: Any, key: str, depth: int) -> Located:
        line = event.start_mark.line + self._first_line
        if isinstance(event, yaml.AliasEvent):
            raise FrontMatterError("anchors and aliases are not allowed: repeat the value", line, key or None)
        if depth > _MAX_DEPTH:
            raise FrontMatterError(f"nested too deeply: at most {_MAX_DEPTH} levels", line, key or None)
        if isinstance(event, yaml.MappingStartEvent):
            return Located(self._read_mapping(key, depth), line, key)
        if isinstance(event, yaml.SequenceStartEvent):
            return Located(self._read_items(key, depth), line, key)
        return Located(self._read_scalar(event, line, key), line, key)

    def _read_items(self, key: str, depth: int) -> list[Located]:
        items: list[Located] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._read_value(event, f"{key}[{len(items)}]", depth + 1))
        return items

    def _read_mapping(self, key: str, depth: int) -> dict[str, Located]:
        mapping: dict[str, Located] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            line = event.start_mark.line + self._first_line
            if not isinstance(event, yaml.ScalarEvent):
                raise FrontMatterError("a key must be text, not a list or a mapping", line, key or None)
            name = _require_no_surrogate(event.value, line, key)
            path = f"{key}.{name}" if key else name
            if name in mapping:
                raise FrontMatterError("this key occurs twice: remove one of them", line, path)
            # The line of the key, where the author looks, not of the value, which may start below it.
            mapping[name] = Located(self._read_value(self._next(), path, depth + 1).value, line, path)
        return mapping

    def _read_scalar(self, event: Any, line: int, key: str) -> Any:
        text, tag = _require_no_surrogate(event.value, line, key), event.tag
        if tag in (None, "!"):
            tag = self._loader.resolve(yaml.ScalarNode, text, event.implicit)
        kind = tag.rsplit(":", 1)[-1]
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() in ("true", "yes", "on")
        # A number or date keeps its kind for the error message: no key of an entry has such a value.
        return _OtherScalar(text, kind)


def _require_no_surrogate(text: str, line: int, key: str) -> str:
    """The same text. Raises FrontMatterError if it contains a surrogate."""
    if _SURROGATE.search(text):
        message = "\\ud800 to \\udfff are half a character: write the whole character"
        raise FrontMatterError(message, line, key or None)
    return text


@dataclass(frozen=True)
class _OtherScalar:
    """A number, a date or another scalar that is not text."""

    text: str
    kind: str


def kind_of(value: Any) -> str:
    """The kind of a YAML value in words, for a message: "a list", "the float 2.4"."""
    if isinstance(value, bool):
        return f"the bool {str(value).lower()}"
    if isinstance(value, _OtherScalar):
        return f"the {value.kind} {value.text}"
    names: dict[type, str] = {dict: "a mapping", list: "a list", str: "text"}
    return names.get(type(value), "nothing" if value is None else "an unknown value")
