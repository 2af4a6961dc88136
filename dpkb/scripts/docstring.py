"""The docstring of a script: its title, mechanism and labels, and the needs that it states."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import Any

from dpkb.model import Needs
from dpkb.scripts import syntax
from dpkb.scripts.skips import skip_patterns

_LABELS = ("Symptom", "Needs", "Run")
_SHM = re.compile(r"(\d+) MB /dev/shm")
_FILES = re.compile(r"(\d+) open files")
_SECONDS = re.compile(r"about (\d+(?:\.\d+)?) s")
_DEVICES = {"cpu": ("cpu",), "cuda": ("cuda",), "cpu or cuda": ("cpu", "cuda")}


class BadDocstring(ValueError):
    """A docstring that does not read as one of a reproducer; the message says what to change."""


@dataclass(frozen=True)
class Docstring:
    """The parts of a docstring. `labels` maps Symptom, Needs and Run to their text."""

    title: str
    mechanism: str
    labels: dict[str, str]
    text: str


def docstring(source: str) -> Docstring:
    """The parts of a script's docstring. Raises BadDocstring, SyntaxError."""
    text = ast.get_docstring(syntax.tree(source), clean=True)
    if not text:
        raise BadDocstring("no docstring; it starts with `<ID>: <what it shows>`")
    title, _, rest = text.partition("\n")
    labels = dict(re.findall(rf"^({'|'.join(_LABELS)}): *(.+)$", rest, re.MULTILINE))
    for label in _LABELS:
        if label not in labels:
            raise BadDocstring(f"the docstring has no `{label}:` line")
    first_label = re.search(rf"^({'|'.join(_LABELS)}):", rest, re.MULTILINE)
    mechanism = rest[: first_label.start()] if first_label else rest
    return Docstring(title.strip(), mechanism.strip(), labels, text)


def needs(source: str) -> Needs:
    """Everything that a script needs, by its `Needs:` line and by its code.

    Raises BadDocstring, SyntaxError.
    """
    stated = needs_line(docstring(source).labels["Needs"])
    return replace(stated, own_interpreter="os.environ" in source, skips=skip_patterns(source))


def needs_line(line: str) -> Needs:
    """The needs that a `Needs:` line states. Raises BadDocstring."""
    fields = [text.strip() for text in line.split(";")]
    if len(fields) != 3:
        raise BadDocstring("`Needs:` has three parts: packages; places; about N s")
    packages, places, time = fields
    seconds = _SECONDS.fullmatch(time)
    if not seconds:
        raise BadDocstring(f"`Needs:` ends with the time, as in `about 5 s`, not {time!r}")
    names = tuple(name.strip() for name in packages.split(",") if name.strip())
    return Needs(packages=names, about_seconds=float(seconds.group(1)), **_places(places))


def _places(text: str) -> dict[str, Any]:
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
        raise BadDocstring("`Needs:` does not say cpu, cuda or `cpu or cuda`")
    return places
