"""Two scripts compared: for a reader, and as changed lines of code."""

from dpkb.scripts.diff import Hunk, find_hunks, find_marked_lines, render_unified_diff

ONE = '"""ZZ1: it fails.\n\nMore.\n"""\nimport sys\n\na = 1\nb = 2  # BUG: two\nc = 3\n'
OTHER = '"""ZZ1: it works."""\nimport sys\n\na = 1\nb = 3  # FIX: three\n# said once\nc = 3\n'


def test_the_diff_of_a_pair():
    before, after = "a\nb\nc\nd\ne\n", "a\nb\nX\nd\ne\n"
    assert render_unified_diff(before, after)[2:] == ["@@ -2,3 +2,3 @@", " b", "-c", "+X", " d"]


def test_docstrings_are_not_compared_and_lines_are_counted_in_the_file():
    assert render_unified_diff(ONE, OTHER, context=0) == [
        "--- broken.py",
        "+++ fixed.py",
        "@@ -8 +5,2 @@",
        "-b = 2  # BUG: two",
        "+b = 3  # FIX: three",
        "+# said once",
    ]
    assert render_unified_diff(ONE, ONE.replace("it fails", "it still fails")) == []


def test_a_text_that_is_not_python_is_compared_as_it_is():
    assert render_unified_diff("x = (\n", "x = [\n")[3:] == ["-x = (", "+x = ["]


def test_only_code_counts_in_a_hunk():
    assert find_hunks(ONE, OTHER) == [Hunk((8,), (5,), 7)]
    assert find_hunks(ONE, ONE.replace("  # BUG: two", "").replace("c = 3", "\n\nc = 3")) == []


def test_a_mark_is_about_its_line_or_the_next_one():
    source = "a = 1  # FIX: one\n\n# FIX: two\n# more\n\nb = '# FIX: three'\n"
    assert find_marked_lines(source, "# FIX") == {1, 6}
