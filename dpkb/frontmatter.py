"""YAML front matter read into plain values that remember their line. The only importer of yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 8
_MAX_CHARACTERS = 200_000
FENCE = "---"
# What a YAML escape can write, and no file or terminal can hold.
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Located:
    """A value of the front matter, its line in the file, and its key path."""

    value: Any
    line: int
    key: str


class FrontMatterError(Exception):
    """Front matter that cannot be read at all; `line` is in the file."""

    def __init__(self, message: str, line: int, key: str | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.key = key


def split(text: str) -> tuple[str, str, int]:
    """An entry's text as (front matter, body, line of the body's first line).

    Raises FrontMatterError where the two `---` lines are missing or the front matter is too long.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise FrontMatterError(f"the first line must be {FENCE}, the start of the front matter", 1)
    end = next((i for i, line in enumerate(lines) if i and line.rstrip() == FENCE), None)
    if end is None:
        raise FrontMatterError(f"the front matter has no closing {FENCE}", 1)
    front = "\n".join(lines[1:end])
    if len(front) > _MAX_CHARACTERS:
        raise FrontMatterError(f"front matter over {_MAX_CHARACTERS:,} characters", 1)
    return front, "\n".join(lines[end + 1:]), end + 2


def load(front: str) -> Located:
    """The front matter as a tree of Located values: dicts, lists and scalars.

    Raises FrontMatterError for YAML errors, anchors, duplicate keys and deep nesting.
    """
    try:
        node = yaml.compose(front, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(part for part in (error.context, error.problem) if part)
        raise FrontMatterError(f"not valid YAML: {message}", mark.line + 2 if mark else 1) from None
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split()) or "nested too deeply"
        raise FrontMatterError(f"not valid YAML: {reason}", 1) from None
    if not isinstance(node, yaml.MappingNode):
        raise FrontMatterError("the front matter must be a mapping of keys to values", 2)
    return _Reader().read(node, "", 0)


class _Reader:
    def __init__(self) -> None:
        self._seen: set[int] = set()

    def read(self, node: yaml.Node, key: str, depth: int) -> Located:
        line = node.start_mark.line + 2
        if id(node) in self._seen:
            raise FrontMatterError("anchors and aliases are not allowed", line, key or None)
        self._seen.add(id(node))
        if depth > _MAX_DEPTH:
            raise FrontMatterError("nested too deeply", line, key or None)
        if isinstance(node, yaml.MappingNode):
            return Located(self._mapping(node, key, depth), line, key)
        if isinstance(node, yaml.SequenceNode):
            items = [self.read(item, f"{key}[{i}]", depth + 1) for i, item in enumerate(node.value)]
            return Located(items, line, key)
        if _HALF.search(node.value):
            raise FrontMatterError("half a character (\\ud800 to \\udfff) is no text", line, key or None)
        return Located(_scalar(node), line, key)

    def _mapping(self, node: yaml.MappingNode, key: str, depth: int) -> dict[str, Located]:
        mapping: dict[str, Located] = {}
        for name_node, value_node in node.value:
            name = name_node.value
            line = name_node.start_mark.line + 2
            if not isinstance(name, str):
                raise FrontMatterError("a key must be text", line, key or None)
            path = f"{key}.{name}" if key else name
            if _HALF.search(name):
                raise FrontMatterError("half a character (\\ud800 to \\udfff) is no text", line, key or None)
            if name in mapping:
                raise FrontMatterError("this key stands twice", line, path)
            # The key's own line: a nested value starts below it, and a reader looks for the key.
            mapping[name] = replace(self.read(value_node, path, depth + 1), line=line)
        return mapping


def _scalar(node: yaml.ScalarNode) -> Any:
    kind = node.tag.rsplit(":", 1)[-1]
    if kind == "str":
        return node.value
    if kind == "null":
        return None
    if kind == "bool":
        return node.value.lower() in ("true", "yes", "on")
    # Numbers and dates keep their kind, so that `2.4` where text belongs can be told.
    return _Untexted(node.value, kind)


@dataclass(frozen=True)
class _Untexted:
    text: str
    kind: str


def kind_of(value: Any) -> str:
    """What a value of the front matter is, in the words of its author."""
    if isinstance(value, bool):
        return f"the bool {str(value).lower()}"
    if isinstance(value, _Untexted):
        return f"the {value.kind} {value.text}"
    names = {dict: "a mapping", list: "a list", str: "text"}
    return names.get(type(value), "nothing" if value is None else "an unknown value")
