"""Reads typed values from a YAML tree. Each wrong value is a Problem with its file, line and key."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from dpkb.catalogue.frontmatter import Located, kind_of
from dpkb.model import VERSIONED_PACKAGES, Evidence, FramePattern, LinePattern, Problem, VersionRange
from dpkb.patterns import matching

ID = re.compile(r"[A-Z]{1,4}[0-9]{1,4}")
# A longer version range may have a number with more digits than int() reads.
_MAX_SPECIFIER_CHARACTERS = 100
# The name of a distribution, and a version range of it.
_PACKAGE_RANGE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)* \s*[<>=!~]")


class FieldReader:
    """Reads values from the YAML tree of one file. Reports each wrong value and returns an empty one."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.path = path
        self.problems = problems

    def report(self, message: str, at: Located) -> None:
        """Add a problem at this value, unless it is there already: a value may be read more than once."""
        problem = Problem(self.path, message, at.line, at.key or None)
        if problem not in self.problems:
            self.problems.append(problem)

    def read_mapping(
        self,
        at: Located | None,
        required: tuple[str, ...],
        optional: tuple[str, ...] = (),
        packages: bool = False,
    ) -> dict[str, Located]:
        """The known keys of a mapping. Reports unknown and missing keys.

        packages: any other key may be the name of a distribution, with a version range.
        """
        if at is None:
            return {}
        if not isinstance(at.value, dict):
            self.report(f"must be a mapping, is {kind_of(at.value)}", at)
            return {}
        known = {name: at for name, at in at.value.items() if name in required or name in optional}
        for name, located in at.value.items():
            if packages and _PACKAGE_RANGE.match(f"{name} {located.value}") and name not in known:
                known[name] = located
            elif name not in known:
                names = ", ".join((*required, *optional)) or "none"
                more = ', and packages with a range such as ">=4.46"' if packages else ""
                self.report(f"unknown key; known are {names}{more}", located)
        for name in required:
            if name not in at.value:
                key = f"{at.key}.{name}" if at.key else name
                self.report("this key is missing: add it", Located(None, at.line, key))
        return known

    def read_text(self, at: Located | None) -> str:
        """A text that is not empty."""
        if at is None:
            return ""
        if not isinstance(at.value, str):
            self.report(f"must be text, is {kind_of(at.value)}: write text, in quotes if necessary", at)
            return ""
        if not at.value.strip():
            self.report("must not be empty: write it", at)
        return at.value.strip()

    def read_items(self, at: Located | None) -> list[Located]:
        """The items of a list."""
        if at is None:
            return []
        if not isinstance(at.value, list):
            self.report(f"must be a list, is {kind_of(at.value)}", at)
            return []
        items: list[Located] = at.value
        return items

    def read_texts(self, at: Located | None, least: int) -> tuple[str, ...]:
        """A list of texts, at least this many."""
        items = self.read_items(at)
        if at is not None and isinstance(at.value, list) and len(items) < least:
            self.report(f"needs at least {least}, has {len(items)}: add more", at)
        return tuple(self.read_text(item) for item in items)

    def read_choice(self, at: Located | None, choices: list[str]) -> str:
        """One of these texts."""
        text = self.read_text(at)
        if at is not None and text and text not in choices:
            self.report(f"must be one of {', '.join(choices)}, is {text!r}", at)
        return text

    def read_flag(self, at: Located | None) -> bool:
        """A bool; False if the key is absent."""
        if at and not isinstance(at.value, bool):
            self.report(f"must be true or false, is {kind_of(at.value)}", at)
        return at is not None and at.value is True

    def read_id(self, at: Located | None) -> str:
        """An entry's id."""
        text = self.read_text(at)
        if at is not None and text and not ID.fullmatch(text):
            self.report(f"{text!r} is not an id: write capitals and a number, like DP15", at)
        return text

    def read_range(self, keys: dict[str, Located], others: Collection[str]) -> VersionRange:
        """The version range that the keys give; `others` are the keys that name no package."""
        texts = [(name, self.read_text(at), at) for name, at in keys.items() if name not in others]
        return VersionRange(
            tuple((name, text) for name, text, at in texts if text and self._is_specifier(text, at))
        )

    def _is_specifier(self, text: str, at: Located) -> bool:
        if len(text) > _MAX_SPECIFIER_CHARACTERS:
            self.report(f"is longer than {_MAX_SPECIFIER_CHARACTERS} characters: shorten it", at)
            return False
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            self.report(f'{text!r} is not a version range: write it like ">=1.9,<2.5"', at)
            return False
        return True

    def read_regex(self, at: Located | None) -> str:
        """The text of a pattern that RE2 accepts."""
        text = self.read_text(at)
        if at is not None and text:
            try:
                matching.compile_pattern(text)
            except matching.BadPattern as error:
                self.report(f"not a pattern that RE2 accepts: {error}", at)
        return text

    def read_evidence(self, at: Located) -> Evidence:
        """A mapping with a pattern under `for` or `against`, and perhaps with a sentence under `because`."""
        keys = self.read_mapping(at, (), ("for", "against", "because"))
        if ("for" in keys) == ("against" in keys):
            self.report("needs either `for` or `against`", at)
        pattern = self.read_regex(keys.get("for") or keys.get("against"))
        return Evidence(pattern, "against" in keys, self.read_text(keys.get("because")))

    def read_frame(self, at: Located) -> FramePattern:
        """A mapping with `match`, and perhaps `inner` and `weak`."""
        keys = self.read_mapping(at, ("match",), ("inner", "weak"))
        inner = self.read_text(keys["inner"]) if "inner" in keys else "2"
        if not inner.isdecimal():
            self.report("must be a number of frames", keys["inner"])
            inner = "0"
        return FramePattern(self.read_regex(keys.get("match")), int(inner), self.read_flag(keys.get("weak")))

    def read_pattern(self, at: Located, *optional: str) -> LinePattern:
        """A mapping with `match` and version ranges, and with `weak` and `near` if `optional` names them."""
        keys = self.read_mapping(at, ("match",), (*VERSIONED_PACKAGES, *optional), packages=True)
        return LinePattern(
            self.read_regex(keys.get("match")),
            self.read_range(keys, ("match", *optional)),
            self.read_flag(keys.get("weak")),
            self.read_regex(keys.get("near")),
        )
