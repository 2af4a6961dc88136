"""The words of an entry on a page of the site: text stays text, and Markdown means what it says."""

import json

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import ROOT, browser
from support.html_tags import Tags

from dpkb.catalogue.load import load
from dpkb.site import markdown, markup_policy

browser.find_package("markdown")

import markdown as python_markdown  # noqa: E402

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</code><script>x</script>",
    "[a](javascript:alert(1))",
    "![a](http://evil.example/a.png)",
    '<http://evil.example/"onload=1>',
    "&lt;script&gt;",
    "&#60;script&#62;",
    "{: onclick=alert(1) }",
    "text {onclick=alert(1)}",
    "[x]: javascript:alert(1)\n\n[x]",
    "!!! danger\n    <b>x</b>",
    "??? x",
    "[TOC]",
    "*[x]: y",
    "\x02wzxhzdk:0\x03",
    "`<script>`",
    "``<script>` `",
    "```\n</code></pre><script>\n```",
    "~~~ {onclick=1}\nx\n~~~",
    "- a\n\n  ```python\n  </pre><script>\n  ```",
    "a | <i>b</i>\n--- | ---\n<u>c</u> | d",
    "<!-- x",
    "<![CDATA[",
    "<?php x",
    "---\ntitle: x\n---",
    "    <b>indented</b>",
    "> <b>quote</b>",
    "# <b>head</b> {#x onclick=1}",
    "a\n<div>\nb",
    "<details open ontoggle=alert(1)>",
    "\\<b>x",
    "*<b>x*",
    "[<b>x](http://a.example)",
    "1. <b>x",
    "+ <b>x",
    "a  \n<b>x",
    "\u202e<b>",
    "<b",
    "a<b\n>c",
    "``` <script>\nx\n```",
    '```" onclick="1\nx\n```',
]
# Regressions: code in a list item, with a blank line in it, became markup.
HOSTILE += [
    "-   ```\n    a\n\n    <script>alert(1)</script>\n    ```",
    "1. ```python\n   a\n\n   <script src=../raw/ZZ1.md.txt></script>\n   ```\n\n   b",
    "- <meta http-equiv=refresh content=0;url=http://evil.example>",
    "> ```\n> x\n>\n> <meta http-equiv=refresh content=0>\n> ```",
]
PIECES = [
    "DP1",
    "`broken.py`",
    "\n",
    "\n\n",
    " ",
    "    ",
    "- ",
    "> ",
    "a",
    "`",
    "*",
    "```\n",
    "|",
    "<",
    "&",
    "\\",
]


def rendered(text):
    """The HTML that the site's own extensions make of Markdown."""
    # The table of contents only adds anchors and permanent links to headings.
    extensions = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["markdown_extensions"]
    wanted = [e if isinstance(e, dict) else {e: {}} for e in extensions]
    configs = {name: more for e in wanted for name, more in e.items() if name != "toc"}
    return python_markdown.markdown(text, extensions=list(configs), extension_configs=configs)


def check_harmless(html):
    assert markup_policy.find_page_faults(html) == []
    for tag, _ in Tags(html).tags:
        assert tag not in ("script", "meta", "link"), tag


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    check_harmless(rendered(markdown.render_markdown(text, lambda name: None)))
    check_harmless(
        rendered(
            f"## {markdown.render_title(text)} {markdown.render_code(text)}\n\n"
            f"<p>{markdown.link_ids(text, lambda name: None)}</p>"
        )
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*HOSTILE, *PIECES]), max_size=8).map("".join))
@example("<script>")
def test_any_mixture_of_hostile_text_stays_text(text):
    link = "{}.html".format
    html = markdown.render_markdown(text, lambda name: link(name.lower()), lambda name: "#x")
    check_harmless(rendered(html))


@pytest.mark.parametrize(
    "text",
    [
        "a_b_c *not em* `code` 1 < 2 & 3 > 2",
        "C++ and __init__ | a",
        "#1 of 3",
        "1) one",
        "x ~ y ^ z = {1: [2]}",
        "- a",
        "1. b",
        "say \"it\" — 数据 'so'",
        "100 % of `x`",
        "a\\b",
    ],
)
def test_plain_text_is_shown_as_it_is(text):
    assert Tags(rendered(markdown.escape(text))).text.strip() == text


def test_entry_markdown_means_the_same_on_the_page():
    """mkdocs changes no word of an entry."""
    from markdown_it import MarkdownIt

    def words(html):
        return "".join(Tags(html).text.split())

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for entry in load([ROOT]):
        for section in entry.sections:
            there = words(rendered(markdown.render_markdown(section.text, lambda name: None)))
            assert there == words(parser.render(section.text)), f"{entry.id}: {section.heading}"


@pytest.mark.parametrize(
    ("heading", "name"),
    [("In short", "in-short"), ("Which case is yours?", "which-case-is-yours"), ("Fix", "fix")],
)
def test_an_address_within_the_page(heading, name):
    assert markdown.create_anchor(heading) == name


def test_what_the_theme_reads_of_a_page():
    lines = markdown.render_front_matter('A "title": <b>', start=True, other=False).split("\n")
    assert (lines[0], lines[-1], lines[2:-1]) == ("---", "---", ["start: true"])
    assert "<b>" not in json.loads(lines[1].removeprefix("title: "))
    assert markdown.render_front_matter("A", "What it is").count("\n") == 3
