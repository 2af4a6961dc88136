"""What changed in a catalogue and when, kept beside its entries, and told as an Atom feed.

Dates of files say when they were copied, and history is not everywhere: a record of its own is right in a
clone of any depth, in an archive and in an installed package.
"""

from __future__ import annotations

import datetime
import hashlib
import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dpkb import files
from dpkb.catalogue import Catalogue
from dpkb.entry import Entry
from dpkb.errors import DpkbError
from dpkb.evidence import Evidence, fingerprint, summary
from dpkb.paths import KB_FOLDER
from dpkb.plain import one_line

NAME = "changes.json"
NEW, TEXT, SCRIPTS, RUNS, WITHDRAWN = "new", "text", "scripts", "runs", "withdrawn"
_KINDS = frozenset({NEW, TEXT, SCRIPTS, RUNS, WITHDRAWN})
_WORDS = {TEXT: "text", SCRIPTS: "scripts", RUNS: "what runs have shown"}
# A feed is read for what is new; catalog.json has everything.
_MOST = 200
_MOST_BYTES = 32 << 20


@dataclass(frozen=True)
class Change:
    """What changed of one entry on one day."""

    day: str
    what: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """An entry as it was when its changes were recorded last: hashes of text and scripts, and its runs."""

    text: str
    scripts: str
    runs: str
    changes: tuple[Change, ...]


def read(folder: Path) -> dict[str, Known]:
    """The recorded changes of a catalogue, by the ids of its entries. Raises DpkbError."""
    path = folder / KB_FOLDER / NAME
    if not path.exists():
        return {}
    try:
        told = json.loads(files.contents(path, _MOST_BYTES))
        if told["version"] != 1:
            raise ValueError(f"version {told['version']!r}")
        return {str(key): _known(row) for key, row in told["entries"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DpkbError(f"{path}: is no record of changes that can be read ({error}); put back the one that "
                        "was published last, or remove it and start anew with `dpkb site --record`") from None


def _known(row: dict) -> Known:
    changes = tuple(Change(datetime.date.fromisoformat(day).isoformat(), tuple(what))
                    for day, what in row["changes"])
    if not changes or any(not change.what or not set(change.what) <= _KINDS for change in changes):
        raise ValueError("a change is of no known kind")
    return Known(*(str(row[key]) for key in ("text", "scripts", "runs")), changes)


def record(catalogue: Catalogue, evidence: list[Evidence], folder: Path, day: str) -> list[str]:
    """Add what changed since the last time to the record of one catalogue; the ids of what did.

    Raises DpkbError where it cannot be read or written.
    """
    path = folder / KB_FOLDER / NAME
    try:
        with files.alone_in(path.parent):
            before = read(folder)
            after = {entry.id: _now(entry, evidence, before.get(entry.id), day)
                     for entry in catalogue if entry.path.is_relative_to(folder)}
            changed = [entry_id for entry_id, known in after.items() if known != before.get(entry_id)]
            if changed:
                files.write(path, _text({**before, **after}))
    except OSError as error:
        raise DpkbError(f"{path}: the changes cannot be written: {error.strerror}") from None
    return changed


def unrecorded(catalogue: Catalogue, folders: Iterable[Path]) -> list[str]:
    """The ids of entries whose text or scripts are not as their catalogue's record has them.

    A catalogue without a record has no feed, so nothing of it is missing there.
    """
    known = {entry_id: row for folder in folders for entry_id, row in read(folder).items()}
    with_record = [folder for folder in folders if (folder / KB_FOLDER / NAME).exists()]
    return [entry.id for entry in catalogue if any(map(entry.path.is_relative_to, with_record))
            and (entry.id not in known
                 or (known[entry.id].text, known[entry.id].scripts) != _hashes(entry))]


def _now(entry: Entry, evidence: list[Evidence], before: Known | None, day: str) -> Known:
    text, scripts = _hashes(entry)
    # Without any run at hand, as in an archive without them, nothing is known to have changed.
    runs = before.runs if before else ""
    if evidence:
        runs = summary(entry, evidence).rpartition("; last run ")[0]
    if before is None:
        return Known(text, scripts, runs, (Change(day, (NEW,)),))
    what = [name for name, old, new in ((TEXT, before.text, text), (SCRIPTS, before.scripts, scripts),
                                        (RUNS, before.runs, runs)) if old != new]
    if not what:
        return before
    if entry.withdrawn and not any(WITHDRAWN in change.what for change in before.changes):
        what = [WITHDRAWN]
    *earlier, last = before.changes
    if last.day != day:
        return Known(text, scripts, runs, (*before.changes, Change(day, tuple(what))))
    # One day's changes are one piece of news, and what is new is new as a whole.
    merged = [NEW] if NEW in last.what and WITHDRAWN not in what else dict.fromkeys([*last.what, *what])
    return Known(text, scripts, runs, (*earlier, Change(day, tuple(merged))))


def _hashes(entry: Entry) -> tuple[str, str]:
    prints = "\n".join(f"{script.name} {fingerprint(script.path)}"
                       for script in sorted(entry.scripts, key=lambda script: script.name))
    return fingerprint(entry.path), hashlib.sha256(prints.encode()).hexdigest()[:16]


def _text(known: dict[str, Known]) -> str:
    """One line an entry, so that changes to several are merged like those of any text."""
    rows = (f'  {json.dumps(entry_id)}: ' + json.dumps({
        "text": row.text, "scripts": row.scripts, "runs": row.runs,
        "changes": [[change.day, list(change.what)] for change in row.changes],
    }) for entry_id, row in sorted(known.items()))
    return '{\n "version": 1,\n "entries": {\n' + ",\n".join(rows) + "\n }\n}\n"


def atom(catalogue: Catalogue, known: dict[str, Known]) -> str:
    """The recorded changes as Atom, the newest first; empty where none is recorded."""
    news = [(change, catalogue.entries[entry_id], row) for entry_id, row in known.items()
            if entry_id in catalogue.entries for change in row.changes]
    news.sort(key=lambda one: one[1].sort_key)
    news.sort(key=lambda one: one[0].day, reverse=True)
    if not news:
        return ""
    items = [_item(*one) for one in news[:_MOST]]
    return ('<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            "<id>urn:dpkb:changes</id><title>dpkb: what changed in the catalogue</title>"
            f"<author><name>dpkb</name></author><updated>{news[0][0].day}T00:00:00Z</updated>"
            '<link rel="self" href="feed.xml"/>\n' + "\n".join(items) + "\n</feed>\n")


def _item(change: Change, entry: Entry, row: Known) -> str:
    told = [entry.summary]
    if change is row.changes[-1] and {NEW, RUNS} & set(change.what) and row.runs:
        told.append(f"Runs: {row.runs}.")
    if WITHDRAWN in change.what:
        told = [f"Withdrawn: {entry.withdrawn or 'and taken back since'}"]
    title = _xml(f"{entry.id}, {in_words(change)}: {entry.title}")
    return (f"<entry><id>urn:dpkb:{entry.id}:{change.day}</id><title>{title}</title>"
            f'<link href="entries/{entry.id.lower()}.html"/>'
            f"<updated>{change.day}T00:00:00Z</updated><summary>{_xml(' '.join(told))}</summary></entry>")


def in_words(change: Change) -> str:
    """What kind of change it is."""
    for whole in (WITHDRAWN, NEW):
        if whole in change.what:
            return whole
    return "changed " + ", ".join(_WORDS[what] for what in change.what)


def _xml(text: str) -> str:
    return html.escape(one_line(text), quote=True)
