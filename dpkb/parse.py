"""The text of one entry -> Entry, or every problem in it with file, line and key."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from dpkb import frontmatter, patterns
from dpkb.entry import (
    SHOWS,
    VERSIONED,
    Confusable,
    Entry,
    Family,
    Kind,
    Outcome,
    Pattern,
    Problem,
    Range,
    Script,
    Section,
    Source,
)
from dpkb.frontmatter import FrontMatterError, Located, kind_of

HEADINGS = ("Symptom", "Root cause", "Fix", "Traps", "How to check your own code", "Notes")
FAMILY_HEADINGS = ("When to suspect it", "What to run first")
OPTIONAL_HEADINGS = ("Traps", "Notes")
REQUIRED_KEYS = (
    "id", "title", "summary", "kind", "keywords", "asked_as", "signatures", "affects",
    "see_also", "confused_with", "sources", "scripts",
)
OPTIONAL_KEYS = ("withdrawn",)
SCRIPT_KEYS = ("claim", "shows", "pattern", *VERSIONED)
AFFECTS_KEYS = (*VERSIONED, "os", "start_method")
ID = re.compile(r"[A-Z]{1,4}[0-9]{1,4}")
SCRIPT_NAME = re.compile(r"broken|fixed|(broken|fix|trap)_[a-z0-9_]+")
# Far more than an entry has; Markdown made to be slow takes a second or so at this size.
MAX_ENTRY_BYTES = 100_000


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt()


def parse(text: str, path: Path, scripts_folder: Path) -> tuple[Entry | None, list[Problem]]:
    """One entry's text as a record; (None, problems) where anything in it is wrong."""
    try:
        front, body, body_line = frontmatter.split(text)
        tree = frontmatter.load(front)
    except FrontMatterError as error:
        return None, [Problem(path, str(error), error.line, error.key)]
    reader = _EntryReader(path)
    sections = reader.sections(body, body_line, HEADINGS)
    entry = reader.entry(tree, sections, scripts_folder)
    return (None if reader.problems else entry), reader.problems


def parse_family(text: str, path: Path) -> tuple[Family | None, list[Problem]]:
    """The overview page of a family as a record; (None, problems) where anything in it is wrong."""
    try:
        front, body, body_line = frontmatter.split(text)
        tree = frontmatter.load(front)
    except FrontMatterError as error:
        return None, [Problem(path, str(error), error.line, error.key)]
    reader = _EntryReader(path)
    sections = reader.sections(body, body_line, FAMILY_HEADINGS)
    family = reader.family(tree, sections)
    return (None if reader.problems else family), reader.problems


class _EntryReader:
    """Reads the tree of one entry and keeps every problem that it meets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def _wrong(self, message: str, at: Located) -> None:
        self.problems.append(Problem(self.path, message, at.line, at.key or None))

    def entry(self, tree: Located, sections: tuple[Section, ...], folder: Path) -> Entry | None:
        keys = self._keys(tree, REQUIRED_KEYS, OPTIONAL_KEYS)
        entry_id = self._id(keys.get("id"))
        fields = dict(
            id=entry_id,
            title=self._text(keys.get("title")),
            summary=self._text(keys.get("summary")),
            kind=self._choice(keys.get("kind"), [kind.value for kind in Kind]),
            keywords=self._texts(keys.get("keywords"), least=3),
            asked_as=self._texts(keys.get("asked_as"), least=3),
            signatures=self._signatures(keys.get("signatures")),
            affects=self._affects(keys.get("affects")),
            see_also=tuple(self._id(item) for item in self._list(keys.get("see_also"))),
            confused_with=self._confused_with(keys.get("confused_with")),
            sources=self._sources(keys.get("sources")),
            scripts=self._scripts(keys.get("scripts"), entry_id, folder),
            withdrawn=self._text(keys["withdrawn"]) if "withdrawn" in keys else None,
        )
        if self.problems:
            return None
        fields["kind"] = Kind(fields["kind"])
        lines = {name: located.line for name, located in keys.items()}
        scripts = keys["scripts"].value
        lines.update({f"scripts.{name}": located.line for name, located in scripts.items()})
        return Entry(path=self.path, sections=sections, lines=lines, **fields)

    def family(self, tree: Located, sections: tuple[Section, ...]) -> Family:
        keys = self._keys(tree, ("family", "title", "summary"))
        letters = self._text(keys.get("family"))
        if letters and letters != self.path.stem:
            self._wrong(f"the page of {letters} is called {letters}.md", keys["family"])
        return Family(letters, self._text(keys.get("title")), self._text(keys.get("summary")), self.path,
                      sections)

    # -- keys and plain values ------------------------------------------------------------------

    def _keys(self, at: Located | None, required: tuple[str, ...],
              optional: tuple[str, ...] = ()) -> dict[str, Located]:
        if at is None:
            return {}
        if not isinstance(at.value, dict):
            self._wrong(f"must be a mapping, is {kind_of(at.value)}", at)
            return {}
        for name, located in at.value.items():
            if name not in required and name not in optional:
                known = ", ".join((*required, *optional))
                self._wrong(f"unknown key; known are {known}", located)
        for name in required:
            if name not in at.value:
                key = f"{at.key}.{name}" if at.key else name
                self._wrong("this key is missing", Located(None, at.line, key))
        return {k: v for k, v in at.value.items() if k in required or k in optional}

    def _text(self, at: Located | None) -> str:
        if at is None:
            return ""
        if not isinstance(at.value, str):
            self._wrong(f"must be text, is {kind_of(at.value)}; put it in quotes if it is meant so", at)
            return ""
        if not at.value.strip():
            self._wrong("must not be empty: write it", at)
        return at.value.strip()

    def _list(self, at: Located | None) -> list[Located]:
        if at is None:
            return []
        if not isinstance(at.value, list):
            self._wrong(f"must be a list, is {kind_of(at.value)}", at)
            return []
        return at.value

    def _texts(self, at: Located | None, least: int) -> tuple[str, ...]:
        items = self._list(at)
        if at is not None and isinstance(at.value, list) and len(items) < least:
            self._wrong(f"needs at least {least}, has {len(items)}", at)
        return tuple(self._text(item) for item in items)

    def _choice(self, at: Located | None, choices: list[str]) -> str:
        text = self._text(at)
        if at is not None and text and text not in choices:
            self._wrong(f"must be one of {', '.join(choices)}, is {text!r}", at)
        return text

    def _id(self, at: Located | None) -> str:
        text = self._text(at)
        if at is not None and text and not ID.fullmatch(text):
            self._wrong(f"{text!r} is not an id: capitals, then a number, as in DP15", at)
        return text

    # -- the larger keys ------------------------------------------------------------------------

    def _range(self, keys: dict[str, Located]) -> Range:
        specifiers = []
        for package in VERSIONED:
            text = self._text(keys[package]) if package in keys else ""
            if text and self._is_specifier(text, keys[package]):
                specifiers.append((package, text))
        return Range(tuple(specifiers))

    def _is_specifier(self, text: str, at: Located) -> bool:
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            self._wrong(f"{text!r} is not a version range; write it as in \">=1.9,<2.5\"", at)
            return False
        return True

    def _pattern(self, at: Located) -> str:
        text = self._text(at)
        if text:
            try:
                patterns.compiled(text)
            except patterns.BadPattern as error:
                self._wrong(f"not a pattern that RE2 takes: {error}", at)
        return text

    def _signatures(self, at: Located | None) -> tuple[Pattern, ...]:
        return tuple(self._ranged_pattern(item, ("weak", "near")) for item in self._list(at))

    def _ranged_pattern(self, at: Located, more: tuple[str, ...] = ()) -> Pattern:
        keys = self._keys(at, ("match",), (*VERSIONED, *more))
        match = self._pattern(keys["match"]) if "match" in keys else ""
        weak = keys["weak"].value if "weak" in keys else False
        if not isinstance(weak, bool):
            self._wrong("must be true or false", keys["weak"])
        near = self._pattern(keys["near"]) if "near" in keys else ""
        return Pattern(match, self._range(keys), weak is True, near)

    def _affects(self, at: Located | None) -> tuple[tuple[str, str], ...]:
        keys = self._keys(at, (), AFFECTS_KEYS)
        self._range({name: located for name, located in keys.items() if name in VERSIONED})
        return tuple((name, self._text(keys[name])) for name in AFFECTS_KEYS if name in keys)

    def _confused_with(self, at: Located | None) -> tuple[Confusable, ...]:
        rows = [self._keys(item, ("id", "check")) for item in self._list(at)]
        return tuple(Confusable(self._id(r.get("id")), self._text(r.get("check"))) for r in rows)

    def _sources(self, at: Located | None) -> tuple[Source, ...]:
        rows = [self._keys(item, ("title", "url")) for item in self._list(at)]
        if at is not None and isinstance(at.value, list) and not rows:
            self._wrong("needs at least one source that was read", at)
        for row in rows:
            if "url" in row and not self._text(row["url"]).startswith(("https://", "http://")):
                self._wrong("must be an address that starts with https://", row["url"])
        return tuple(Source(self._text(r.get("title")), self._text(r.get("url"))) for r in rows)

    # -- scripts --------------------------------------------------------------------------------

    def _scripts(self, at: Located | None, entry_id: str, folder: Path) -> tuple[Script, ...]:
        if at is None:
            return ()
        if not isinstance(at.value, dict):
            self._wrong(f"must be a mapping, is {kind_of(at.value)}", at)
            return ()
        for name in ("broken", "fixed"):
            if name not in at.value:
                self._wrong("this script is missing", Located(None, at.line, f"{at.key}.{name}"))
        return tuple(
            self._script(name, located, entry_id, folder) for name, located in at.value.items()
        )

    def _script(self, name: str, at: Located, entry_id: str, folder: Path) -> Script:
        if not SCRIPT_NAME.fullmatch(name):
            self._wrong("a script is broken, fixed, broken_<form>, fix_<name> or trap_<name>", at)
        keys = self._keys(at, ("claim",), SCRIPT_KEYS[1:])
        shows = self._choice(keys.get("shows"), list(SHOWS)) if "shows" in keys else ""
        unhealthy = name.startswith(("broken", "trap"))
        if unhealthy and not shows:
            self._wrong("a broken or trap script must say what it shows", at)
        if shows and not unhealthy:
            self._wrong("a fix must be healthy: leave `shows` out", keys["shows"])
        found = self._script_patterns(keys.get("pattern"))
        if found and shows != "raises":
            self._wrong("a pattern goes with `shows: raises` only", keys["pattern"])
        if shows == "raises" and "pattern" not in keys:
            self._wrong("`shows: raises` needs a `pattern` that the message must match", at)
        return Script(
            entry=entry_id, name=name, path=folder / f"{name}.py",
            claim=self._text(keys.get("claim")), shows=SHOWS.get(shows, Outcome.HEALTHY),
            patterns=found, range=self._range(keys),
        )

    def _script_patterns(self, at: Located | None) -> tuple[Pattern, ...]:
        if at is None:
            return ()
        if isinstance(at.value, list):
            return tuple(self._ranged_pattern(item) for item in at.value)
        return (Pattern(self._pattern(at)),)

    # -- the body -------------------------------------------------------------------------------

    def sections(self, body: str, first_line: int, wanted: tuple[str, ...]) -> tuple[Section, ...]:
        lines = body.split("\n")
        starts = []
        tokens = _markdown().parse(body)
        for token, inline in pairwise(tokens):
            if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2"):
                starts.append((token.map[0], token.map[1], inline.content))
        sections = []
        for i, (start, text_start, heading) in enumerate(starts):
            end = starts[i + 1][0] if i + 1 < len(starts) else len(lines)
            text = "\n".join(lines[text_start:end]).strip("\n")
            sections.append(Section(heading, text, first_line + start))
        self._check_headings(sections, first_line, wanted)
        return tuple(sections)

    def _check_headings(self, sections: list[Section], first_line: int, wanted: tuple[str, ...]) -> None:
        here = [section.heading for section in sections]
        for section in sections:
            if section.heading not in wanted or here.count(section.heading) > 1:
                known = ", ".join(wanted)
                message = f"heading {section.heading!r}: expected each of these once: {known}"
                self.problems.append(Problem(self.path, message, section.line))
            elif not section.text.strip():
                message = f"nothing stands under {section.heading!r}: write it"
                self.problems.append(Problem(self.path, message, section.line))
        for heading in wanted:
            if heading not in here and heading not in OPTIONAL_HEADINGS:
                message = f"the heading '## {heading}' is missing"
                self.problems.append(Problem(self.path, message, first_line))
        known_here = [heading for heading in here if heading in wanted]
        if known_here != sorted(known_here, key=wanted.index):
            message = f"the headings stand in another order than {', '.join(wanted)}"
            self.problems.append(Problem(self.path, message, first_line))


def mentions(markdown: str) -> tuple[set[str], set[str]]:
    """The ids in the running text, and the script file names in inline code, of some Markdown."""
    ids: set[str] = set()
    files: set[str] = set()
    for token in _markdown().parse(markdown):
        for child in token.children or ():
            if child.type == "text":
                ids.update(re.findall(rf"\b{ID.pattern}\b", child.content))
            elif child.type == "code_inline" and child.content.endswith(".py"):
                files.add(child.content)
    return ids, files
