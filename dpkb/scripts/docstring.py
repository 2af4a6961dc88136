"""The docstring of a script: its title, its labels, and the needs that it states."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import Any

from dpkb.model import Needs
from dpkb.scripts import syntax
from dpkb.scripts.skips import find_skip_patterns

_LABELS = ("Symptom", "Needs", "Run")
_SHM = re.compile(r"(\d+) MB /dev/shm")
_FILES = re.compile(r"(\d+) open files")
_SECONDS = re.compile(r"about (\d+(?:\.\d+)?) s")
_DEVICES = {"cpu": ("cpu",), "cuda": ("cuda",), "cpu or cuda": ("cpu", "cuda")}


class BadDocstring(ValueError):
    """A docstring without the form that reproducers have; the message says what to change."""


@dataclass(frozen=True)
class Docstring:
    """The parts of a docstring that dpkb reads. labels: Symptom, Needs and Run -> text."""

    title: str
    labels: dict[str, str]


def read_docstring(source: str) -> Docstring:
    """The docstring of a script. Raises BadDocstring, SyntaxError."""
    text = ast.get_docstring(syntax.parse_script(source), clean=True)
    if not text:
        raise BadDocstring("no docstring: write one that starts with `<ID>: <what it shows>`")
    title, _, rest = text.partition("\n")
    labels = dict(re.findall(rf"^({'|'.join(_LABELS)}): *(.+)$", rest, re.MULTILINE))
    for label in _LABELS:
        if label not in labels:
            raise BadDocstring(f"the docstring has no `{label}:` line: add it")
    return Docstring(title.strip(), labels)


def read_needs(source: str) -> Needs:
    """Everything that a script needs to run, from its `Needs:` line and its code.

    Raises BadDocstring, SyntaxError.
    """
    stated = parse_needs_line(read_docstring(source).labels["Needs"])
    return replace(stated, own_interpreter="os.environ" in source, skips=find_skip_patterns(source))


def parse_needs_line(line: str) -> Needs:
    """The needs that a `Needs:` line states. Raises BadDocstring."""
    fields = [text.strip() for text in line.split(";")]
    if len(fields) != 3:
        raise BadDocstring("`Needs:` must have three parts: packages; places; about N s")
    packages, places, time = fields
    seconds = _SECONDS.fullmatch(time)
    if not seconds:
        raise BadDocstring(f"`Needs:` must end with the time, like `about 5 s`, not {time!r}")
    names = tuple(name.strip() for name in packages.split(",") if name.strip())
    return Needs(packages=names, about_seconds=float(seconds.group(1)), **_read_places(places))


def find_distributions(source: str) -> tuple[str, ...]:
    """The distributions that a script needs besides torch; none if its docstring cannot be read."""
    try:
        return read_needs(source).distributions
    except (BadDocstring, SyntaxError):
        return ()


def _read_places(text: str) -> dict[str, Any]:
    """The fields of Needs that the places of a `Needs:` line set. Raises BadDocstring."""
    places: dict[str, Any] = {}
    for place in map(str.strip, text.split(",")):
        shm, files = _SHM.fullmatch(place), _FILES.fullmatch(place)
        if place in _DEVICES:
            places["devices"] = _DEVICES[place]
        elif place in ("linux", "root"):
            places[place] = True
        elif shm:
            places["shm_mb"] = int(shm.group(1))
        elif files:
            places["open_files"] = int(files.group(1))
        else:
            raise BadDocstring(
                f"`Needs:` names the place {place!r}; known are cpu, cuda, cpu or cuda, linux, root, "
                "<N> MB /dev/shm, <N> open files"
            )
    if "devices" not in places:
        raise BadDocstring("`Needs:` names no device: add cpu, cuda or `cpu or cuda`")
    return places
