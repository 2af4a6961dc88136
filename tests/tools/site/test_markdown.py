"""The words of an entry on a page of the site: text stays text, and Markdown means what it says."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import ROOT, browser, markup_policy
from support.html_tags import Tags

from dpkb.catalogue.load import load
from tools.site import markdown

browser.find_package("mkdocs")

from mkdocs.utils.meta import get_data  # noqa: E402

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


def check_harmless(html):
    assert markup_policy.find_page_faults(html) == []
    for tag, _ in Tags(html).tags:
        assert tag not in ("script", "meta", "link"), tag


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    check_harmless(markdown.render_markdown(text, lambda name: None))
    check_harmless(
        f"<h2>{markdown.render_title(text)} {markdown.render_code(text)}</h2>"
        f"<p>{markdown.link_ids(text, lambda name: None)}</p>"
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*HOSTILE, *PIECES]), max_size=8).map("".join))
@example("<script>")
def test_any_mixture_of_hostile_text_stays_text(text):
    link = "{}.html".format
    html = markdown.render_markdown(text, lambda name: link(name.lower()), lambda name: "#x")
    check_harmless(html)


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
    assert Tags(markdown.escape(text)).text.strip() == text


def test_entry_markdown_means_the_same_on_the_page():
    """Links and colours change no word of an entry."""
    from markdown_it import MarkdownIt

    def words(html):
        return "".join(Tags(html).text.split())

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for entry in load([ROOT]):
        for section in entry.sections:
            there = words(markdown.render_markdown(section.text, lambda name: None))
            assert there == words(parser.render(section.text)), f"{entry.id}: {section.heading}"


@pytest.mark.parametrize(
    ("heading", "name"),
    [("In short", "in-short"), ("Which case is yours?", "which-case-is-yours"), ("Fix", "fix")],
)
def test_an_address_within_the_page(heading, name):
    assert markdown.create_anchor(heading) == name


def test_mkdocs_reads_all_of_a_page_in_its_front_matter():
    """No Markdown is left for mkdocs to render, whatever the page has: code, blank lines, what looks like a border."""
    code = markdown.render_code_block("a: b\n\n    # c\n---\n\tend  \n...\n \nlast")
    blocks = [markdown.render_heading(2, "<code>A</code> & b", "a"), "", code]
    page = markdown.render_page('A "title": <b>', blocks, "What it is", is_start=True)
    text, read = get_data(page)
    assert text == ""
    assert read == {
        "title": "A &quot;title&quot;: &lt;b&gt;",
        "description": "What it is",
        "start": True,
        "sections": [["a", "<code>A</code> & b"]],
        "body": f"{blocks[0]}\n{code}\n",
    }
    assert "---\n\tend  \n...\n \nlast" in code
