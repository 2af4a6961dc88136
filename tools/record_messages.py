"""Puts the messages of a census (tools/message_census.py) beside the entries that answer them.

    python tools/message_census.py OUT.json                       under any torch
    python -m tools.record_messages OUT.json ...                  renew the versions of all rows, list what is new
    python -m tools.record_messages OUT.json --to S11 --like 'size of tensor a'
    python -m tools.record_messages OUT.json --reason 'it names the allowed values' --like 'Invalid learning rate'

A row is added only for a message that nothing matches yet, with a pattern made from it. A row that no version says
any more is removed. Read an entry before you lead a message to it: its page must have the cause and the fix.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from dpkb.catalogue.load import UNANSWERED_NAME, Catalogue, load, read_unanswered
from dpkb.model import RecordedMessage
from dpkb.paths import KB_FOLDER, MESSAGES_SUFFIX, file_beside, find_built_in_catalogue
from dpkb.patterns import matching
from tools.message_census import normalise, strip_paths

# A message is recognised by so much of its start. What is shorter is compared with its class.
_MAX_CHARACTERS, _MIN_LETTERS = 140, 16
# How much of a message a row shows: its class and what is compared.
_SHOWN_CHARACTERS = 180
# Values in a message, and what stands for each in a pattern. The first that matches at a place counts.
_VALUES = {
    r"(?:torch\.Size\()?\[-?\d+(?:, -?\d+)*,?\]\)?": r"(?:torch\.Size\()?\[[\d, -]*\]\)?",
    r"\(-?\d+(?:, -?\d+)*,?\)": r"\([\d, -]*\)",
    r"\bno_such\b": r"\S+",
    r"\b\d+(?=x)": r"\d+",
    r"(?<=x)\d+\b": r"\d+",
    r"-?\b\d[\d.]*(?:e[+-]?\d+)?(?!\w)|\bnan\b": r"-?(?:[\d.e+-]+|nan|inf)",
    r"\d+(?=-?D\b|-d\b)": r"\d+",
    r"[\w.<>]+\(\)": r"[\w.<>]+\(\)",
    r"\"[\w<>:, ]+\" not implemented": r'"[^"]+" not implemented',
    r"(?<=combination of arguments - got )\(.*?\)(?=, but|$)": r"\(.*\)",
    r"(?<=argument )['\"]\w+['\"]|(?<=argument: )['\"]\w+['\"]|(?<=arguments: )['\"]\w+['\"].*": r"['\"].*['\"]",
    r"\w+\.\w+(?=\(\) takes)": r"[\w.]+",
    r"(?<=, not )[\w.]+$": r"[\w.]+",
    r"…/[\w./+-]+(?::\d+)?": r"\S+",
    r"0x[0-9a-f]+": r"\S+",
}
_VALUE = re.compile("|".join(f"({pattern})" for pattern in _VALUES))


def generalise(message: str) -> str:
    """An RE2 pattern for a message whose values may differ. The class is in it only if little else is left."""
    name, _, text = message.partition(": ")
    text = text[:_MAX_CHARACTERS]
    if len(text) == _MAX_CHARACTERS:
        text = text[: text.rfind(" ")]
    parts, letters, end = [], 0, 0
    for value in _VALUE.finditer(text):
        fixed = text[end : value.start()]
        letters += sum(map(str.isalpha, fixed))
        pattern = list(_VALUES.values())[(value.lastindex or 1) - 1]
        # A word at the start of a pattern takes the browser a time that grows with the square of a line.
        parts += [_escape(fixed), pattern if value.start() else pattern.removeprefix(r"[\w.<>]+")]
        end = value.end()
    parts.append(_escape(text[end:]))
    letters += sum(map(str.isalpha, text[end:]))
    pattern = "".join(parts)
    is_plain = letters >= _MIN_LETTERS or " not implemented" in text
    return pattern if is_plain else f"^{_escape(name)}: {pattern}$" if pattern else f"^{name}:?$"


def _escape(text: str) -> str:
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)


def read_censuses(paths: Iterable[Path]) -> tuple[dict[str, RecordedMessage], set[str]]:
    """The messages of these censuses by their normalised form, and the versions of torch that were asked all."""
    found: dict[str, RecordedMessage] = {}
    versions = set()
    for path in paths:
        census = json.loads(path.read_text(encoding="utf-8"))
        version = census["versions"]["torch"]
        if not census["only"]:
            versions.add(version)
        for row in census["messages"].values():
            text = strip_paths(row["message"]).strip()
            known = found.get(key := normalise(text))
            seen = tuple(sorted({*(known.seen if known else ()), version}, key=_order))
            call = min([*row["calls"], *([known.call] if known else [])], key=len)
            first = known or RecordedMessage(generalise(text), text[:_SHOWN_CHARACTERS], call, ())
            found[key] = replace(first, call=call, seen=seen)
    return found, versions


def _order(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


class Answers:
    """Which entries the patterns of a catalogue lead a message to."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._patterns = [
            (entry.id, pattern)
            for entry in catalogue
            for pattern in entry.line_patterns
            if not pattern.near and not entry.withdrawn
        ]
        self._set = matching.PatternSet([pattern.match for _, pattern in self._patterns])

    def find(self, message: str) -> list[str]:
        """The ids of the entries, those with a strong signature or a row first."""
        matches = [self._patterns[i] for i in self._set.matches(message)]
        return list(dict.fromkeys(entry_id for entry_id, _ in sorted(matches, key=lambda m: m[1].weak)))


def list_files(catalogue: Catalogue, folder: Path) -> dict[Path, tuple[RecordedMessage, ...]]:
    """Every file of messages with its rows; the file of an entry without any has none."""
    files = {file_beside(entry.path, MESSAGES_SUFFIX): entry.messages for entry in catalogue}
    return {**files, folder / KB_FOLDER / UNANSWERED_NAME: read_unanswered(folder)[0]}


def renew(
    rows: Iterable[RecordedMessage], found: dict[str, RecordedMessage], versions: set[str]
) -> list[RecordedMessage]:
    """The rows with the versions that say each now, without those that none says.

    versions: those that were asked everything, so that a row which they did not say is no longer theirs.
    """
    rows = list(rows)
    patterns = matching.PatternSet([row.match for row in rows])
    now: dict[int, set[str]] = {}
    for message in found.values():
        for index in patterns.matches(message.message):
            now.setdefault(index, set()).update(message.seen)
    renewed = []
    for index, row in enumerate(rows):
        if seen := {*row.seen} - versions | now.get(index, set()):
            renewed.append(replace(row, seen=tuple(sorted(seen, key=_order))))
    return renewed


def find_new(
    found: dict[str, RecordedMessage], answers: Answers, unanswered: Iterable[RecordedMessage]
) -> list[RecordedMessage]:
    """The messages that lead to no entry, and that are not known to lead nowhere."""
    known = matching.PatternSet([row.match for row in unanswered])
    return [row for row in found.values() if not answers.find(row.message) and not known.matches(row.message)]


def add_rows(rows: Iterable[RecordedMessage], added: Iterable[RecordedMessage]) -> list[RecordedMessage]:
    """The rows, and those of the added ones that no pattern of a row before them matches."""
    kept = list(rows)
    for row in added:
        if not any(matching.has_match(other.match, row.message) for other in kept):
            kept.append(row)
    return kept


def write_rows(path: Path, rows: Sequence[RecordedMessage]) -> None:
    """Write a file of messages in the order of their texts; without rows, remove it."""
    if not rows:
        path.unlink(missing_ok=True)
        return
    lines: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (row.message, row.match)):
        fields = {"match": row.match, "message": row.message, "call": row.call, "seen": list(row.seen)}
        lines.append({**fields, "reason": row.reason} if row.reason else fields)
    text = yaml.safe_dump({"messages": lines}, sort_keys=False, width=110, allow_unicode=True)
    path.write_text("# Generated by tools/record_messages.py.\n" + text, encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Renew the files of messages, add rows, and print what leads nowhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("census", type=Path, nargs="+")
    parser.add_argument("--like", default="", help="only messages that this regular expression matches")
    parser.add_argument("--to", help="the entry that answers them")
    parser.add_argument("--reason", help="why no entry answers them")
    options = parser.parse_args(arguments)
    folder = find_built_in_catalogue()
    catalogue = load([folder])
    if catalogue.problems:
        sys.exit(f"{catalogue.problems[0]}\nCorrect the catalogue first: dpkb check")
    found, versions = read_censuses(options.census)
    files = list_files(catalogue, folder)
    unanswered = folder / KB_FOLDER / UNANSWERED_NAME
    for path, rows in files.items():
        if rows != (now := tuple(renew(rows, found, versions))):
            write_rows(path, now)
            files[path] = now
    new = find_new(found, Answers(catalogue), files[unanswered])
    chosen = [row for row in new if re.search(options.like, row.message)]
    if options.to or options.reason:
        path = unanswered
        if options.to:
            entry = catalogue.find_entry(options.to)
            path = file_beside(entry.path, MESSAGES_SUFFIX)
        more = add_rows(files[path], (replace(row, reason=options.reason or "") for row in chosen))
        write_rows(path, renew(more, found, set()))
        print(f"{len(chosen)} messages added to {path.name}; {len(new) - len(chosen)} are left")
        return
    for row in chosen:
        print(f"{row.message}\n    {row.call}    torch {', '.join(row.seen)}")
    print(f"{len(new)} of {len(found)} messages are new: lead each to an entry, or give the reason")
    sys.exit(1 if new else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
