"""The Markdown of a page: its sections, what it mentions, and its code."""

from pathlib import Path

import pytest

from dpkb.catalogue.body import (
    HEADINGS,
    OPTIONAL_HEADINGS,
    CodeBlock,
    find_code_blocks,
    find_mentions,
    read_sections,
)

PATH = Path("kb/zz1_made.md")
REQUIRED = [heading for heading in HEADINGS if heading not in OPTIONAL_HEADINGS]


def page(*headings, text="Text."):
    return "\n" + "\n".join(f"## {heading}\n\n{text}\n" for heading in headings)


def problems(body, wanted=HEADINGS):
    return [(problem.line, problem.message) for problem in read_sections(body, 20, wanted, PATH)[1]]


def test_a_section_has_its_text_and_its_line():
    body = "\n## A\n\none\n\n### Below\n\ntwo\n\nB\n-\n\nthree\n"
    sections, wrong = read_sections(body, 20, ("A", "B"), PATH)
    assert [(s.heading, s.text, s.line) for s in sections] == [
        ("A", "one\n\n### Below\n\ntwo", 21),
        ("B", "three", 29),
    ]
    assert wrong == []


def test_lines_in_code_or_in_a_list_are_not_headings():
    body = "## A\n\n```python\n## B\n```\n\n- ## C\n"
    assert [section.heading for section in read_sections(body, 1, ("A",), PATH)[0]] == ["A"]


def test_a_good_page_has_no_problem():
    assert problems(page(*HEADINGS)) == [] and problems(page(*REQUIRED)) == []


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        (page(*REQUIRED, "Cure"), 41, "unknown heading 'Cure'; known are: In short, "),
        (page(*REQUIRED, "Fix"), 41, "heading 'Fix' occurs twice"),
        (page(*REQUIRED[:-1]), 20, "the heading '## Why it happens' is missing"),
        (
            page(*REQUIRED[:-1], "Why it happens").replace("Why it happens\n\nText.", "Why it happens"),
            37,
            "no text below 'Why it happens'",
        ),
        (page(*REQUIRED[1:], "In short"), 20, "the headings must be in this order"),
        (page(*REQUIRED).replace("## In short", "# In short\n\n## Symptom\n"), 23, "heading 'Symptom'"),
        ("\nAbove all." + page(*REQUIRED), 21, "text above the first heading"),
    ],
)
def test_each_mistake_has_its_line(body, line, says):
    found = problems(body)
    assert any(at == line and message.startswith(says) for at, message in found), found


def test_ids_and_scripts_that_are_mentioned():
    ids, files = find_mentions("See DP15 and `DP16`, run `broken_x.py`.\n\n```python\nDP17\n```\n")
    assert (ids, files) == ({"DP15"}, {"broken_x.py"})
    ids, files = find_mentions("| **O1** | DP1x (C30) |\n|---|---|\n| [U9](x) `train.py` | `a.pyc` |\n")
    assert (ids, files) == ({"O1", "C30", "U9"}, {"train.py"})


def test_code_blocks_also_in_lists_and_quotes():
    text = (
        "Use it:\n\n```python fixed\nx = 1\n```\n\n- so:\n  ```\n  y = 2\n  ```\n\n"
        "> ```text\n> z\n> ```\n\n    w = 4\n"
    )
    assert find_code_blocks(text) == [
        CodeBlock("python", "x = 1\n", 3),
        CodeBlock("", "y = 2\n", 8),
        CodeBlock("text", "z\n", 12),
    ]
