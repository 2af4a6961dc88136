"""Error messages about names that a library does not have -> the releases that have them."""

from __future__ import annotations

import builtins
import re
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dpkb.versions.history import (
    Answer,
    Question,
    find_missing,
    known_packages,
    load_history,
    specifier,
)

_NAME = r"[A-Za-z_]\w*"
_DOTTED = rf"{_NAME}(?:\.{_NAME})*"
_IMPORT = re.compile(
    rf"cannot import name ['\"‘’`]?({_NAME})['\"’`]? from (?:partially initialized module )?['\"‘’`]?({_DOTTED})"
)
_OLD_IMPORT = re.compile(rf"cannot import name ['\"‘’`]?({_NAME})['\"’`]?\s*$")
_MODULE = re.compile(rf"No module named ['\"‘’`]?({_DOTTED})")
_ATTRIBUTE = re.compile(rf"module ['\"‘’`]?({_DOTTED})['\"’`]? has no attribute ['\"‘’`]?({_NAME})")
_MEMBER = re.compile(
    rf"(?:type object )?['\"‘’`]({_DOTTED})['\"’`] (?:object )?has no attribute ['\"‘’`]({_NAME})"
)
_KEYWORD = re.compile(rf"((?:{_NAME}\.)*{_NAME})\(\) got an unexpected keyword argument ['\"‘’`]?({_NAME})")
_POSITIONAL = re.compile(
    rf"((?:{_NAME}\.)*{_NAME})\(\) takes (?:from \d+ to )?\d+ positional arguments? but (\d+)"
    r"(?: positional arguments? \(and \d+ keyword-only arguments?\))? (?:were|was) given"
)
_NUMPY = re.compile(rf"`np\.({_NAME})` (?:was removed|was a deprecated alias)")
# Objects of Python itself are of no library, though libraries have classes of these names too. An AdamW is
# torch's, though transformers once had its own.
_TYPES_OF_OTHERS = {
    kind.__name__ for kind in (*vars(builtins).values(), *vars(types).values()) if isinstance(kind, type)
} | {"AdamW"}
_FRAME = re.compile(r"(?:site|dist)-packages[/\\]([\w./\\]+?)\.py\b")
_SOURCE = re.compile(rf"^\s*from ({_DOTTED}) import (.*)")
_CALL = re.compile(rf"({_NAME}(?:\.{_NAME})*)\s*\(")
_MAX_LINE = 2_000
_MAX_EXPLAINED = 4


@dataclass(frozen=True)
class Explanation:
    """What a message is about: a name, and the releases of its package that have it."""

    package: str
    name: str
    needs: str
    instead: str | None
    line: int


def explain(lines: Iterable[str]) -> list[Explanation]:
    """The names that error messages in a log miss, and the releases that have them. Each once."""
    found: dict[tuple[str, str], Explanation] = {}
    context: list[str] = []
    packages = set(known_packages())
    for number, line in enumerate(lines, 1):
        line = line[:_MAX_LINE]
        for question in _questions(line, context, packages):
            explanation = _explain(question, number)
            if explanation:
                found.setdefault((explanation.package, explanation.name), explanation)
                break
        context = [*context[-60:], line]
    return list(found.values())[:_MAX_EXPLAINED]


def _explain(question: Question, line: int) -> Explanation | None:
    history = load_history(question.path.split(".")[0])
    if history is None:
        return None
    answers = history.answer(question)
    # A name that was there once, or is there now: what no release has is no question of versions.
    if Answer.YES not in answers:
        return None
    is_call = question.keyword is not None or question.positional is not None
    known = history.answer_where_owned(question) if is_call else answers
    needs = specifier(history, [not is_missing for is_missing in find_missing(known)])
    # The installed release lacks it, so if no other is known to, it is one that may have it.
    needs = needs or specifier(history, [answer is Answer.YES for answer in answers])
    if needs is None:
        return None
    return Explanation(history.package, question.name, needs, history.find_instead(question), line)


def _questions(line: str, context: list[str], packages: set[str]) -> Iterator[Question]:
    """What a line may ask about, the likeliest first."""
    if match := _IMPORT.search(line):
        yield from _known([f"{match[2]}.{match[1]}"], packages)
    elif match := _OLD_IMPORT.search(line):
        for source in filter(None, map(_SOURCE.match, reversed(context))):
            if re.search(rf"\b{match[1]}\b", source[2]):
                yield from _known([f"{source[1]}.{match[1]}"], packages)
    elif match := _MODULE.search(line):
        # A package that is not installed at all is another question.
        yield from _known([match[1]] if "." in match[1] else [], packages)
    elif match := _NUMPY.search(line):
        yield Question(f"numpy.{match[1]}")
    elif match := _ATTRIBUTE.search(line):
        yield from _known([f"{match[1]}.{match[2]}"], packages)
    elif match := _KEYWORD.search(line):
        for path in _callees(match[1], context, packages):
            yield Question(path, called=True, keyword=match[2])
    elif match := _POSITIONAL.search(line):
        is_method = "." in match[1] or match[1] == "__init__"
        for path in _callees(match[1], context, packages):
            yield Question(path, called=True, positional=int(match[2]) - is_method)
    elif (match := _MEMBER.search(line)) and match[1] not in _TYPES_OF_OTHERS:
        for path in _definitions(match[1].rpartition(".")[2], context, packages):
            yield Question(f"{path}.{match[2]}", on_instance=True)


def _known(paths: list[str], packages: set[str]) -> Iterator[Question]:
    yield from (Question(path) for path in paths if path.split(".")[0] in packages)


def _callees(name: str, context: list[str], packages: set[str]) -> Iterator[str]:
    """The dotted names of what a message such as `Trainer.__init__() got …` calls."""
    owner, _, last = name.rpartition(".")
    if last == "__init__" and not owner:
        # Python before 3.10 leaves out the class: it is on the line that calls it.
        for line in reversed(context[-6:]):
            for call in _CALL.findall(line):
                yield from _definitions(call.rpartition(".")[2], context, packages)
        return
    if last == "__init__":
        yield from _definitions(owner.rpartition(".")[2], context, packages)
    elif owner:
        for path in _definitions(owner.rpartition(".")[2], context, packages):
            yield f"{path}.{last}"
    else:
        yield from _definitions(last, context, packages)


def _definitions(name: str, context: list[str], packages: set[str]) -> Iterator[str]:
    """Where a class or function of this name is defined in the packages that the log mentions.

    A class may be of another package too, if that package exports it.
    """
    text = "\n".join(context)
    frames = {re.sub(r"[/\\]", ".", frame) for frame in _FRAME.findall(text)}
    mentioned = [package for package in sorted(packages) if re.search(rf"\b{package}\b", text)]
    others = sorted(packages.difference(mentioned)) if name[:1].isupper() else []
    for package in (*mentioned, *others):
        if history := load_history(package):
            places = history.find_definitions(name)
            near = [place for place in places if place.rpartition(".")[0] in frames]
            if not near and history.find_place(f"{package}.{name}") in places:
                near = [f"{package}.{name}"]
            yield from near or (places if package in mentioned else ())
