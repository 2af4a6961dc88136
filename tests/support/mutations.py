"""Damages texts and trees by fragments that readers of YAML, Markdown, patterns and logs may not expect."""

from __future__ import annotations

import copy
import random

YAML_BITS = [
    "&a ",
    "*a",
    "<<: *a\n",
    "!!python/object/apply:os.system [id]",
    "!!binary x",
    "!!set {a}",
    "!!int x",
    "!!float .",
    "!!timestamp 9999-99-99",
    "!!omap []",
    "!",
    "!<tag:x>",
    "---\n",
    "...\n",
    "--- ",
    "|\n",
    ">-\n",
    "|9\n",
    "? ",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ",",
    '"',
    "'",
    "#",
    "%YAML 9.9\n",
    "%TAG ! x\n",
    "0x1F",
    "1e999",
    "-0",
    "0o7",
    "1_000",
    "12:30:45",
    "2024-01-01",
    "~",
    "null",
    "yes",
    ".nan",
    "\t",
    "\r",
    '"\\ud800"',
    '"\\U00110000"',
    '"\\x00"',
    '"\\e[31m"',
    "\ufeff",
    "id: ZZ1\n",
    "scripts:\n",
    "=",
    "<<",
]
MARKDOWN_BITS = [
    "```",
    "~~~",
    "<script>alert(1)</script>",
    "[a](javascript:x)",
    "![](x)",
    "[a]: b\n",
    "## ",
    "# Fix\n",
    "> ",
    "- ",
    "1. ",
    "|a|b|\n|-|-|\n",
    "***",
    "`",
    "\\",
    "&#27;",
    "&#x9b;",
    "<!--",
    "]]>",
    "\n\n",
    "    ",
    "Fix\n===\n",
    "* * *\n",
    "<b",
    "http://",
    "`a.py`",
    "DP15",
    "{{x}}",
    "{% x %}",
]
ODD = [
    "\0",
    "\x1b[31m",
    "\x1b]0;x\x07",
    "\x9b2J",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u2028",
    "\x85",
    "\x0c",
    "\x08",
    "\x7f",
    "é",
    "增强",
    "\U0001f525",
    "\U000e0041",
    "\ufffe",
    "\uffff",
    "İ",
    "ß",
    "ﬁ",
    "Ⅻ",
    "٣",
    "\u0301",
    "한",
    "か",
    "\u3000",
    "\xa0",
    "_",
    "__",
    "9" * 30,
    "A" * 300,
]
PATTERN_BITS = [
    ".",
    "*",
    "+",
    "?",
    "{2}",
    "{1000}",
    "{1001}",
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?m)",
    "(?s)",
    "|",
    "[",
    "]",
    "[^",
    "^",
    "$",
    "\\",
    "\\$",
    "\\b",
    "\\Q",
    "\\E",
    "\\pL",
    "\\C",
    "\\A",
    "\\z",
    "\\d+",
    "\\x{10ffff}",
    "[[:alpha:]]",
    "(?P<n>",
    "(?=",
    "\\1",
    "(a*)*",
    "\\n",
    "é",
    "\0",
]
LOG_BITS = [
    b"\x1b[0m",
    b"\x1b]0;x\x07",
    b"\x1b]",
    b"\r",
    b"\r\n",
    b"\n",
    b"\0",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\xf0\x9f",
    b"\x80",
    b"[rank0]: ",
    b"[1,2]<stderr>:",
    b"12: ",
    b"  ",
    b"(w pid=1, ip=1.2.3.4) ",
    b"2024-01-01 00:00:00,123 - ERROR - ",
    b'  File "x.py", line 1\n',
    b"Traceback (most recent call last):\n",
    b"KeyboardInterrupt",
    b"\x9b",
    b"Killed\n",
    b"\xe2\x80\xae",
]
SCRIPT_BITS = [
    "(",
    ")",
    "[" * 90,
    "-" * 500,
    "not " * 400,
    ":",
    "\\",
    "\\\n",
    '"""',
    "'",
    "f'{",
    "\0",
    "\t",
    "\x0c",
    "# BUG:",
    "# FIX:",
    "Needs: ",
    ";",
    "lambda: ",
    "import dpkb\n",
    "async ",
    "match x:\n",
    "print('OBSERVED', json.dumps({**x}))\n",
    "about 9 s",
    "9" * 5000,
    "0777",
    "é",
    "𝕏",
    "\ufeff",
]


def mutate(rng: random.Random, text, bits: list, samples: list):
    """A text (or bytes) with one to six changes: parts are removed, repeated, inserted or replaced."""
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        match rng.randrange(8):
            case 0 | 1 | 2:
                text = text[:at] + rng.choice(bits) + text[at:]
            case 3:
                text = text[:at] + rng.choice(bits) + text[min(at + rng.randrange(4), len(text)) :]
            case 4:
                text = text[:at] + text[min(to, at + 200) :]
            case 5:
                text = text[:to] + text[at : min(to, at + 200)] * rng.choice((1, 2, 9)) + text[to:]
            case 6:
                text = text[:at] + rng.choice(samples)[rng.randrange(50) :][:400] + text[to:]
            case 7:
                text = text[:at] + rng.choice(bits) * rng.choice((2, 20, 300)) + text[at:]
    return text


def make_random_text(rng: random.Random, most: int = 200) -> str:
    """A text of any characters that a file in UTF-8 may contain."""
    top = rng.choice((0x7F, 0x7F, 0xFF, 0x3000, 0x9FFF, 0x10FFFF))
    text = "".join(chr(rng.randrange(top + 1)) for _ in range(rng.randrange(most)))
    return text.encode("utf-8", "replace").decode("utf-8")


def _choose_value(rng: random.Random):
    return rng.choice(
        [
            None,
            True,
            0,
            -1,
            2.4,
            "",
            " ",
            "x",
            [],
            {},
            [[]],
            {"a": {"b": [1]}},
            ["x"] * 50,
            rng.choice(ODD),
            rng.choice(PATTERN_BITS),
            ">=1.8",
            "<",
            "../../x",
            "DP99999",
            "a\nb",
            {"broken": None},
            {"../x": {"claim": "y"}},
            [{"match": "("}],
            "x" * 5000,
        ]
    )


def mutate_tree(rng: random.Random, tree):
    """A tree of dicts and lists with one to three of its values or keys changed."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 2, 3))):
        node = tree
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.7:
                node = node[key]
                continue
            change = rng.randrange(4)
            if change == 0:
                del node[key]
            elif change == 1 and isinstance(node, dict):
                node[rng.choice(["x", "", "id", "broken", "fix_a", "..", "a" * 99, "\u202e"])] = node[key]
            else:
                node[key] = _choose_value(rng)
            break
    return tree
