"""Patterns for JavaScript. That they mean the same there: tests/tools/site/test_site_search.py."""

import json
import shutil
import subprocess

import pytest

from dpkb.patterns.javascript import find_unknown_syntax
from dpkb.patterns.matching import compile_pattern
from tools.site.search_data import translate_pattern

UNKNOWN = {
    r"\Qcost (USD)\E": r"\Q",
    r"\Aa": r"\A",
    r"a\z": r"\z",
    r"\a": r"\a",
    r"\C": r"\C",
    r"\07": r"\0",
    r"\pN": r"\p",
    r"\p{Greek}": r"\p",
    r"\x{41}": r"\x{",
    "[[:digit:]]": "[[:digit:]",
    r"[^a\][:^alpha:]]": r"[^a\][:^alpha:]",
    "[]a]": "[]",
    "[^]a]": "[^]",
    r"[\w-.]": r"[\w-.",
    "(?P<x>a)": "(?",
    "(?i-s)a": "(?",
    "a(?i)b": "(?",
    "(?i)a(?s)": "(?",
    "a{": "{",
    "{'a': 1}": "{",
    "a]": "]",
    r"a\{1}": "}",
    "a{,5}": "{",
}
KNOWN = [
    r"\[rank\d\]: \{x\}",
    r"\\Q",
    r"a{2}b{2,}c{1,3}?",
    "(?i)(?:a|b)",
    "(?<x>a)",
    "[{}[]",
    r"[\]\w.-]",
    r"[^\d\s]",
    r"\p{N}\p{Lu}",
    r"\x41",
    r"\"x\'\-",
    r"[:a-z]",
]


@pytest.mark.parametrize(
    ("pattern", "source", "flags"),
    [
        (r"^a\.b", r"^a\.b", "us"),
        ("(?i)abc", "abc", "ius"),
        (r"a\-b\ c", r"a\u002db\u0020c", "us"),
        (r"\d+\S", r"\d+\S", "us"),
        (r"\"x\'", r"\u0022x\u0027", "us"),
        (r"(?i)[\]\d] \/", r"[\]\d] \/", "ius"),
    ],
)
def test_a_pattern_for_javascript(pattern, source, flags):
    assert translate_pattern(pattern) == [source, flags]


def test_syntax_that_javascript_does_not_know_is_found():
    assert {pattern: find_unknown_syntax(pattern) for pattern in UNKNOWN} == UNKNOWN
    assert [pattern for pattern in KNOWN if find_unknown_syntax(pattern)] == []


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_javascript_refuses_what_it_does_not_know_and_nothing_else():
    patterns = [*KNOWN, *UNKNOWN]
    for pattern in patterns:
        compile_pattern(pattern)
    code = """
        const accepts = ([source, flags]) => {
            try { return !!new RegExp(source, flags) } catch { return false } }
        console.log(JSON.stringify(JSON.parse(process.argv[1]).map(accepts)))"""
    given = json.dumps([translate_pattern(pattern) for pattern in patterns])
    done = subprocess.run(["node", "-e", code, given], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [True] * len(KNOWN) + [False] * len(UNKNOWN)
