"""The docstring of a script: its title, mechanism, and what its `Needs:` line asks for."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from dpkb import syntax
from dpkb.entry import Needs

_LABELS = ("Symptom", "Needs", "Run")
_SHM = re.compile(r"(\d+) MB /dev/shm")
_FILES = re.compile(r"(\d+) open files")
_SECONDS = re.compile(r"about (\d+(?:\.\d+)?) s")
_DEVICES = {"cpu": ("cpu",), "cuda": ("cuda",), "cpu or cuda": ("cpu", "cuda")}


class BadDocstring(ValueError):
    """A docstring that does not read as one of a reproducer; the message says what to mend."""


@dataclass(frozen=True)
class Docstring:
    """A script's docstring, taken apart. `labels` maps Symptom, Needs and Run to their text."""

    title: str
    mechanism: str
    labels: dict[str, str]
    text: str


def docstring(source: str) -> Docstring:
    """The parts of a script's docstring. Raises BadDocstring, SyntaxError."""
    text = ast.get_docstring(syntax.tree(source), clean=True)
    if not text:
        raise BadDocstring("no docstring; it starts with `<ID>: <what is wrong>`")
    title, _, rest = text.partition("\n")
    labels = dict(re.findall(rf"^({'|'.join(_LABELS)}): *(.+)$", rest, re.MULTILINE))
    for label in _LABELS:
        if label not in labels:
            raise BadDocstring(f"the docstring has no `{label}:` line")
    first_label = re.search(rf"^({'|'.join(_LABELS)}):", rest, re.MULTILINE)
    return Docstring(title.strip(), rest[: first_label.start()].strip(), labels, text)


def needs(source: str) -> Needs:
    """What this script asks for, in its `Needs:` line and by what it does.

    Raises BadDocstring, SyntaxError.
    """
    asked = needs_line(docstring(source).labels["Needs"])
    return replace(asked, own_interpreter="os.environ" in source)


def needs_line(line: str) -> Needs:
    """What a `Needs:` line asks for. Raises BadDocstring."""
    parts = [part.strip() for part in line.split(";")]
    if len(parts) != 3:
        raise BadDocstring("`Needs:` has three parts: packages; places; about N s")
    packages, places, time = parts
    seconds = _SECONDS.fullmatch(time)
    if not seconds:
        raise BadDocstring(f"`Needs:` ends with the time, as in `about 5 s`, not {time!r}")
    names = tuple(name.strip() for name in packages.split(",") if name.strip())
    return Needs(packages=names, about_seconds=float(seconds.group(1)), **_places(places))


def _places(text: str) -> dict:
    found: dict = {}
    for place in (part.strip() for part in text.split(",")):
        shm, files = _SHM.fullmatch(place), _FILES.fullmatch(place)
        if place in _DEVICES:
            found["devices"] = _DEVICES[place]
        elif place in ("linux", "root"):
            found[place] = True
        elif shm:
            found["shm_mb"] = int(shm.group(1))
        elif files:
            found["open_files"] = int(files.group(1))
        else:
            raise BadDocstring(
                f"`Needs:` names the place {place!r}; known are cpu, cuda, cpu or cuda, linux, root, "
                "<N> MB /dev/shm, <N> open files"
            )
    if "devices" not in found:
        raise BadDocstring("`Needs:` does not say cpu, cuda or `cpu or cuda`")
    return found
