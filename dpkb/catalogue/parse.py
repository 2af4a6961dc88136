"""Parses the files of one entry into an Entry, or into every problem in them with file, line and key.

An entry is kb/<stem>.md (front matter and page), kb/<stem>.search.yaml (the words that lead to it),
reproducers/<stem>/claims.yaml (what each script proves), if the front matter would be too long with them, and
perhaps kb/<stem>.messages.yaml (what wrong calls say).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpkb.catalogue import frontmatter
from dpkb.catalogue.body import FAMILY_HEADINGS, HEADINGS, read_sections
from dpkb.catalogue.fields import FieldReader
from dpkb.catalogue.frontmatter import FrontMatterError, Located, kind_of
from dpkb.model import (
    OUTCOME_OF_SHOWS,
    PLACES,
    VERSIONED_PACKAGES,
    Certainty,
    CitedSource,
    Entry,
    FailureKind,
    Family,
    LinePattern,
    Outcome,
    Problem,
    RecordedMessage,
    Script,
    Signpost,
    SimilarEntry,
)
from dpkb.paths import MESSAGES_SUFFIX, SEARCH_SUFFIX, file_beside
from dpkb.patterns import matching

REQUIRED_KEYS = ("id", "title", "summary", "kind", "affects", "see_also", "confused_with", "sources")
TEXT_KEYS = ("unseen", "withdrawn", "title_zh", "summary_zh")
OPTIONAL_KEYS = ("scripts", "found_by", *TEXT_KEYS)
SEARCH_KEYS = ("keywords", "asked_as", "signatures")
OPTIONAL_SEARCH_KEYS = ("evidence", "frames", "stacks")
SCRIPT_KEYS = ("shows", "pattern", "not_reported")
SCRIPT_NAME = re.compile(r"broken|fixed|(broken|fix|trap)_[a-z0-9_]+")
CLAIMS_NAME = "claims.yaml"
# Much larger than any real file. At this size, Markdown designed to be slow takes about a second.
MAX_ENTRY_BYTES = 100_000
# What is generated may be longer; it has no Markdown.
MAX_MESSAGES_BYTES = 1_000_000
MAX_FRONT_MATTER_LINES = 59


def parse_entry(
    text: str,
    path: Path,
    scripts_folder: Path,
    search: str | None = None,
    claims: str | None = None,
    messages: str | None = None,
) -> tuple[Entry | None, list[Problem]]:
    """One entry as a record; (None, problems) if anything in its files is wrong.

    search, claims, messages: the texts of its other files; None if there is no such file.
    """
    reader = _EntryReader(path, scripts_folder)
    entry = reader.read(text, search, claims, messages)
    return entry, reader.problems


def parse_family(text: str, path: Path) -> tuple[Family | None, list[Problem]]:
    """The overview page of a family as a record; (None, problems) if anything in it is wrong."""
    try:
        front, body, body_line = frontmatter.split(text)
        tree = frontmatter.load(front)
    except FrontMatterError as error:
        return None, [Problem(path, str(error), error.line, error.key)]
    sections, problems = read_sections(body, body_line, FAMILY_HEADINGS, path)
    fields = FieldReader(path, problems)
    keys = fields.read_mapping(tree, ("family", "title", "summary"))
    letters = fields.read_text(keys.get("family"))
    if letters and letters != path.stem:
        fields.report(f"is {letters}, so the file must be named {letters}.md", keys["family"])
    title, summary = fields.read_text(keys.get("title")), fields.read_text(keys.get("summary"))
    family = Family(letters, title, summary, path, sections)
    return (None if problems else family), problems


def parse_messages(text: str, path: Path, *more: str) -> tuple[tuple[RecordedMessage, ...], list[Problem]]:
    """The rows of a file of messages, and every problem in it. more: another key that each row has."""
    problems: list[Problem] = []
    fields, rows = FieldReader(path, problems), []
    for item in _read_items_of(text, "messages", fields):
        keys = fields.read_mapping(item, ("match", "message", "call", "seen", *more))
        pattern, message, call, reason = (
            fields.read_text(keys.get(name)) for name in ("match", "message", "call", "reason")
        )
        seen = fields.read_texts(keys.get("seen"), least=1)
        rows.append((item, keys.get("match"), RecordedMessage(pattern, message, call, seen, reason)))
    try:
        # As a set, since hundreds of single patterns take time and memory.
        patterns = matching.PatternSet([row.match for _, _, row in rows])
    except matching.BadPattern:
        for _, match, _ in rows:
            fields.read_regex(match)
        return (), problems
    for index, (item, _, row) in enumerate(rows):
        if not problems and index not in patterns.matches(row.message):
            fields.report("does not match its own message: run tools/record_messages.py again", item)
    return tuple(row for _, _, row in rows), problems


def parse_signposts(text: str, path: Path) -> tuple[tuple[Signpost, ...], list[Problem]]:
    """The signposts of a catalogue; those without a mistake, and every problem of the others."""
    problems: list[Problem] = []
    fields, found = FieldReader(path, problems), []
    for item in _read_items_of(text, "signposts", fields):
        keys = fields.read_mapping(item, ("match", "kind", "look", "source"))
        source = fields.read_mapping(keys.get("source"), ("title", "url"))
        kind, look = fields.read_text(keys.get("kind")), fields.read_text(keys.get("look"))
        cited = CitedSource(fields.read_text(source.get("title")), fields.read_text(source.get("url")))
        found.append(Signpost(fields.read_regex(keys.get("match")), kind, look, cited))
    return (() if problems else tuple(found)), problems


def _read_items_of(text: str, key: str, fields: FieldReader) -> list[Located]:
    """The items of a file that has nothing but a list under this key; none, and a problem, if it is not valid."""
    try:
        tree = frontmatter.load(text, first_line=1)
    except FrontMatterError as error:
        fields.problems.append(Problem(fields.path, str(error), error.line, error.key))
        return []
    return fields.read_items(fields.read_mapping(tree, (key,)).get(key))


class _EntryReader:
    """Reads the files of one entry and collects every problem in them."""

    def __init__(self, path: Path, scripts_folder: Path) -> None:
        self.path = path
        self.scripts_folder = scripts_folder
        self.problems: list[Problem] = []
        self.fields = FieldReader(path, self.problems)
        self.key_lines: dict[str, int] = {}

    def read(self, text: str, search: str | None, claims: str | None, messages: str | None) -> Entry | None:
        """The entry of these texts; None if the front matter cannot be read or any value is wrong."""
        try:
            front, body, body_line = frontmatter.split(text)
            tree = frontmatter.load(front)
        except FrontMatterError as error:
            self.problems.append(Problem(self.path, str(error), error.line, error.key))
            return None
        if body_line - 1 > MAX_FRONT_MATTER_LINES:
            message = (
                f"the front matter has {body_line - 1} lines, at most {MAX_FRONT_MATTER_LINES}: "
                f"move `scripts` to {self.scripts_folder / CLAIMS_NAME}"
            )
            self.problems.append(Problem(self.path, message, body_line - 1))
        fields = self.fields
        keys = fields.read_mapping(tree, REQUIRED_KEYS, OPTIONAL_KEYS)
        entry_id = fields.read_id(keys.get("id"))
        found = self._read_search_words(search)
        kind = fields.read_choice(keys.get("kind"), [kind.value for kind in FailureKind])
        title, summary = fields.read_text(keys.get("title")), fields.read_text(keys.get("summary"))
        affects = self._read_affects(keys.get("affects"))
        see_also = tuple(fields.read_id(item) for item in fields.read_items(keys.get("see_also")))
        confused_with = self._read_confused_with(keys.get("confused_with"))
        sources = self._read_sources(keys.get("sources"))
        found_by = self._read_found_by(keys.get("found_by"))
        texts: dict[str, Any] = {name: fields.read_text(keys[name]) for name in TEXT_KEYS if name in keys}
        if texts.get("unseen") and found_by:
            fields.report("contradicts found_by: leave one of the two out", keys["unseen"])
        scripts = self._read_scripts(keys.get("scripts"), claims, entry_id, "audit" in dict(found_by))
        sections, problems = read_sections(body, body_line, HEADINGS, self.path)
        messages_path = file_beside(self.path, MESSAGES_SUFFIX)
        recorded, more = ((), []) if messages is None else parse_messages(messages, messages_path)
        self.problems += problems + more
        if self.problems:
            return None
        return Entry(
            id=entry_id,
            title=title,
            summary=summary,
            kind=FailureKind(kind),
            path=self.path,
            affects=affects,
            see_also=see_also,
            confused_with=confused_with,
            sources=sources,
            scripts=scripts,
            sections=sections,
            **found,
            messages=recorded,
            found_by=found_by,
            **texts,
            key_lines={**self.key_lines, **{name: located.line for name, located in keys.items()}},
        )

    def _open_other_file(self, path: Path, text: str) -> tuple[FieldReader, Located | None]:
        """A reader that reports problems in another file of the entry, and the YAML tree of that file."""
        fields = FieldReader(path, self.problems)
        try:
            return fields, frontmatter.load(text, first_line=1)
        except FrontMatterError as error:
            self.problems.append(Problem(path, str(error), error.line, error.key))
            return fields, None

    def _read_search_words(
        self,
        text: str | None,
    ) -> dict[str, Any]:
        """The fields of the entry that the search file has; empty if there is no file."""
        path = file_beside(self.path, SEARCH_SUFFIX)
        if text is None:
            message = f"this file is missing: write it, with the keys {', '.join(SEARCH_KEYS)}"
            self.problems.append(Problem(path, message))
            return dict.fromkeys(SEARCH_KEYS, ())
        fields, tree = self._open_other_file(path, text)
        keys = fields.read_mapping(tree, SEARCH_KEYS, OPTIONAL_SEARCH_KEYS)
        for at in keys.values():
            self.key_lines.update((item.key, item.line) for item in fields.read_items(at))
        readers: dict[str, Callable[[Located], Any]] = {
            "signatures": lambda at: fields.read_pattern(at, "weak", "near"),
            "evidence": fields.read_evidence,
            "frames": fields.read_frame,
            "stacks": lambda at: fields.read_pattern(at, "weak"),
        }
        return {
            "keywords": fields.read_texts(keys.get("keywords"), least=3),
            "asked_as": fields.read_texts(keys.get("asked_as"), least=3),
        } | {name: tuple(map(read, fields.read_items(keys.get(name)))) for name, read in readers.items()}

    def _read_affects(self, at: Located | None) -> tuple[tuple[str, str], ...]:
        keys = self.fields.read_mapping(at, (), (*VERSIONED_PACKAGES, *PLACES), packages=True)
        places = tuple((name, self.fields.read_text(keys[name])) for name in PLACES if name in keys)
        return self.fields.read_range(keys, PLACES).specifiers + places

    def _read_confused_with(self, at: Located | None) -> tuple[SimilarEntry, ...]:
        fields = self.fields
        rows = [fields.read_mapping(item, ("id", "check")) for item in fields.read_items(at)]
        return tuple(
            SimilarEntry(fields.read_id(row.get("id")), fields.read_text(row.get("check"))) for row in rows
        )

    def _read_sources(self, at: Located | None) -> tuple[CitedSource, ...]:
        fields = self.fields
        rows = [fields.read_mapping(item, ("title", "url")) for item in fields.read_items(at)]
        if at is not None and isinstance(at.value, list) and not rows:
            fields.report("needs at least one source: add a page or document that you read", at)
        for row in rows:
            if "url" in row and not fields.read_text(row["url"]).startswith(("https://", "http://")):
                fields.report("must be an address that starts with https://", row["url"])
        return tuple(
            CitedSource(fields.read_text(row.get("title")), fields.read_text(row.get("url"))) for row in rows
        )

    def _read_found_by(self, at: Located | None) -> tuple[tuple[str, str], ...]:
        keys = self.fields.read_mapping(at, (), ("lint", "audit"))
        values = [certainty.value for certainty in Certainty]
        return tuple((name, self.fields.read_choice(located, values)) for name, located in keys.items())

    def _read_scripts(
        self,
        at: Located | None,
        claims: str | None,
        entry_id: str,
        seen_by_audit: bool,
    ) -> tuple[Script, ...]:
        fields = self.fields
        if claims is not None:
            if at is not None:
                fields.report(f"the scripts are in {CLAIMS_NAME} already: leave this key out", at)
            fields, at = self._open_other_file(self.scripts_folder / CLAIMS_NAME, claims)
        elif at is None:
            message = f"the scripts are missing: declare them here or in {self.scripts_folder / CLAIMS_NAME}"
            fields.report(message, Located(None, 1, "scripts"))
        if at is None:
            return ()
        if not isinstance(at.value, dict):
            fields.report(f"must be a mapping, is {kind_of(at.value)}", at)
            return ()
        for name in ("broken", "fixed"):
            if name not in at.value:
                key = f"{at.key}.{name}" if at.key else name
                fields.report("this script is missing: declare it", Located(None, at.line, key))
        return tuple(
            self._read_script(fields, name, row, entry_id, seen_by_audit) for name, row in at.value.items()
        )

    def _read_script(
        self,
        fields: FieldReader,
        name: str,
        at: Located,
        entry_id: str,
        seen_by_audit: bool,
    ) -> Script:
        if not SCRIPT_NAME.fullmatch(name):
            fields.report("a script is broken, fixed, broken_<form>, fix_<name> or trap_<name>", at)
        keys = fields.read_mapping(at, ("claim",), (*SCRIPT_KEYS, *VERSIONED_PACKAGES), packages=True)
        shows = fields.read_choice(keys["shows"], list(OUTCOME_OF_SHOWS)) if "shows" in keys else ""
        unhealthy = name.startswith(("broken", "trap"))
        if unhealthy and not shows:
            values = ", ".join(OUTCOME_OF_SHOWS)
            fields.report(f"a broken or trap script must say what it shows: add `shows`, one of {values}", at)
        if shows and not unhealthy:
            fields.report("a fix must be healthy: leave `shows` out", keys["shows"])
        patterns = self._read_script_patterns(fields, keys.get("pattern"))
        if patterns and shows != "raises":
            fields.report("a pattern is only for `shows: raises`: leave it out", keys["pattern"])
        if shows == "raises" and "pattern" not in keys:
            fields.report("`shows: raises` needs a `pattern` that matches the error message", at)
        if "not_reported" in keys and not (unhealthy and seen_by_audit):
            fields.report(
                "is only for an unhealthy script of an entry with `found_by: {audit: ...}`: leave it out",
                keys["not_reported"],
            )
        return Script(
            entry=entry_id,
            name=name,
            path=self.scripts_folder / f"{name}.py",
            claim=fields.read_text(keys.get("claim")),
            shows=OUTCOME_OF_SHOWS.get(shows, Outcome.HEALTHY),
            patterns=patterns,
            range=fields.read_range(keys, ("claim", *SCRIPT_KEYS)),
            not_reported=fields.read_text(keys["not_reported"]) if "not_reported" in keys else None,
            declared_in=fields.path,
            declared_at=at.line,
        )

    def _read_script_patterns(self, fields: FieldReader, at: Located | None) -> tuple[LinePattern, ...]:
        if at is None:
            return ()
        if isinstance(at.value, list):
            return tuple(fields.read_pattern(item) for item in at.value)
        return (LinePattern(fields.read_regex(at)),)
