"""A pair differs in the fix alone, in few lines, and marks say where."""

import pytest

from dpkb.scripts.pair_rules import find_pair_problems

BROKEN = '''"""ZZ1: it fails."""
import sys

limit = 3
names = ["a"]


def keep(numbers):
    total = sum(numbers)
    return numbers[:limit]  # BUG: some


if __name__ == "__main__":
    seen = keep([1, 2, 3, 4])
    healthy = len(seen) == 4
    print("OBSERVED", seen)
    sys.exit(0 if healthy else 1)
'''
FIXED = BROKEN.replace("[:limit]  # BUG: some", "[:]  # FIX: all").replace("it fails", "it works")


def messages(before, after):
    return [message for _, message in find_pair_problems(before, after)]


def changed(*replacements):
    text = FIXED
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new, 1)
    return messages(BROKEN, text)


def test_a_pair_differs_and_in_few_lines():
    assert messages(BROKEN, FIXED) == []
    same = "fixed.py is the same as broken.py: write the fix"
    assert messages(BROKEN, BROKEN) == messages(BROKEN, BROKEN.replace("it fails", "it works")) == [same]
    added = "".join(f"    a{n} = {n}  # FIX: more\n" for n in range(12))
    assert changed(("    total", added[: -len("    a11 = 11  # FIX: more\n")] + "    total")) == []
    assert any("changes 13 lines" in m for m in changed(("    total", added + "    total")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import sys\n", "import os\nimport sys\n"),
        ("def keep", "def other():\n    return 2\n\n\ndef keep"),
        ("    seen = ", '    print("keeps", limit)\n    seen = '),
        ("    total = sum(numbers)\n", ""),
        ("    total = sum(numbers)\n    return", "    return"),
    ],
)
def test_some_changes_need_no_mark(old, new):
    assert changed((old, new)) == []


def test_a_line_that_is_taken_out_is_marked_where_it_was():
    assert any(
        "differs from broken.py" in m
        for m in changed(("    total = sum(numbers)\n", ""), ("numbers[:]  # FIX: all", "numbers[:limit]"))
    )
    gone = ("    total = sum(numbers)\n", "    # FIX: without the sum\n")
    assert changed(gone, ("numbers[:]  # FIX: all", "numbers[:limit]")) == []


@pytest.mark.parametrize(
    ("replacements", "message"),
    [
        ([("[1, 2, 3, 4]", "[1, 2, 3]")], "differs from broken.py: add a `# FIX:`"),
        ([("limit = 3", "limit = 4")], "differs from broken.py: add a `# FIX:`"),
        ([("len(seen) == 4", "len(seen) >= 3  # FIX: enough")], "`healthy` differs"),
        ([("import sys", "import sys  # FIX: here")], "on a line that is the same in broken.py"),
        ([("limit = 3", "# FIX: not here\nlimit = 3")], "on a line that is the same in broken.py"),
        ([("total = sum(numbers)", "total = sum(numbers)  # FIX: no")], "on a line that is the same in"),
    ],
)
def test_a_careless_difference(replacements, message):
    assert any(message in found for found in changed(*replacements)), changed(*replacements)


def test_a_function_whose_parameters_change_needs_a_mark():
    changed = FIXED.replace("def keep(numbers):", "def keep(numbers, size=2):")
    assert any(message.startswith("differs from broken.py") for message in messages(BROKEN, changed))
