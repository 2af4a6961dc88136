"""The Markdown body of a page: its sections, its code blocks, the ids and script names in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

from dpkb.catalogue.fields import ID
from dpkb.model import Problem, Section

HEADINGS = (
    "In short",
    "Which case is yours?",
    "Symptom",
    "Fix",
    "How to check your own code",
    "Why it happens",
    "Traps",
    "Versions",
)
OPTIONAL_HEADINGS = ("Which case is yours?", "Traps", "Versions")
FAMILY_HEADINGS = ("When to suspect it", "What to run first")


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block: its language, its text, and its first line counted from the section's heading."""

    language: str
    text: str
    line: int


@lru_cache(maxsize=1)
def _create_parser() -> MarkdownIt:
    return MarkdownIt()


@lru_cache(maxsize=1)
def _create_block_parser() -> MarkdownIt:
    """A parser of blocks only. Parsing the text inside the lines takes more than half of the time."""
    return MarkdownIt().disable(["inline", "text_join"])


def read_sections(
    body: str,
    first_line: int,
    headings: tuple[str, ...],
    path: Path,
) -> tuple[tuple[Section, ...], list[Problem]]:
    """The sections of a body that starts at this line of a file, and the problems of its headings."""
    lines = body.split("\n")
    starts = []
    for token, inline in pairwise(_create_block_parser().parse(body)):
        if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2") and token.map:
            starts.append((token.map[0], token.map[1], inline.content))
    sections = []
    for i, (start, text_start, heading) in enumerate(starts):
        end = starts[i + 1][0] if i + 1 < len(starts) else len(lines)
        text = "\n".join(lines[text_start:end]).strip("\n")
        sections.append(Section(heading, text, first_line + start))
    problems = list(_find_heading_problems(sections, first_line, headings, path))
    above = lines[: starts[0][0]] if starts else lines
    if (at := next((number for number, line in enumerate(above) if line.strip()), None)) is not None:
        message = "text above the first heading: move it below a heading"
        problems.append(Problem(path, message, first_line + at))
    return tuple(sections), problems


def _find_heading_problems(
    sections: list[Section], first_line: int, headings: tuple[str, ...], path: Path
) -> Iterator[Problem]:
    present = [section.heading for section in sections]
    for section in sections:
        if section.heading not in headings:
            message = f"unknown heading {section.heading!r}; known are: {', '.join(headings)}"
            yield Problem(path, message, section.line)
        elif present.count(section.heading) > 1:
            yield Problem(path, f"heading {section.heading!r} occurs twice: join the sections", section.line)
        elif not section.text.strip():
            yield Problem(path, f"no text below {section.heading!r}: write the section", section.line)
    for heading in headings:
        if heading not in present and heading not in OPTIONAL_HEADINGS:
            yield Problem(path, f"the heading '## {heading}' is missing: add the section", first_line)
    known = [heading for heading in present if heading in headings]
    if known != sorted(known, key=headings.index):
        yield Problem(path, f"the headings must be in this order: {', '.join(headings)}", first_line)


@lru_cache(maxsize=64)  # several rules call it with the same section
def find_mentions(markdown: str) -> tuple[frozenset[str], frozenset[str]]:
    """The ids in the text of some Markdown, and the names of Python files in its inline code."""
    ids: set[str] = set()
    files: set[str] = set()
    for token in _create_parser().parse(markdown):
        for child in token.children or ():
            if child.type == "text":
                ids.update(re.findall(rf"\b{ID.pattern}\b", child.content))
            elif child.type == "code_inline" and child.content.endswith(".py"):
                files.add(child.content)
    return frozenset(ids), frozenset(files)


def find_code_blocks(markdown: str) -> list[CodeBlock]:
    """The fenced blocks of some Markdown, those inside lists and quotes included."""
    return [
        CodeBlock(token.info.strip().split(" ")[0], token.content, (token.map or [0])[0] + 1)
        for token in _create_block_parser().parse(markdown)
        if token.type == "fence"
    ]
