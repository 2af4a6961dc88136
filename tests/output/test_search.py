"""The text of a search: the hits, and the answer of a clear first hit."""

from dataclasses import replace

import pytest
from support import SEARCH, write_catalogue

from dpkb.output.search import UNCLEAR_CASES, render_search, search_fields
from dpkb.search.rank import Hit, SearchResult
from dpkb.search.store import find_entries

ANSWER = """It was **written** for
a test.

- **Check:** look at `x`, which is a long line that has to be wrapped in a window of sixty columns.
- **Fix:** remove it:

```python fixed
import x
x.remove("a line of code that is longer than the window, and must stay whole to be copied")
```
"""


def search_result(*scores, answer=""):
    hits = tuple(
        Hit(f"ZZ{i}", "A title", "silent", "ZZ", "A summary.", False, score, ("title: a",), "title: A title")
        for i, score in enumerate(scores)
    )
    return SearchResult(hits, 0, answer)


def test_a_clear_first_hit_is_answered():
    lines = render_search("a", search_result(10.0, answer=ANSWER), False, 60).split("\n")
    at = lines.index("ZZ0 in short")
    assert lines[at + 1 : at + 5] == [
        "",
        "  It was written for a test.",
        "",
        "  - Check: look at `x`, which is a long line that has to be",
    ]
    assert lines[at + 5] == "    wrapped in a window of sixty columns."
    code = '      x.remove("a line of code that is longer than the window, and must stay whole to be copied")'
    assert code in lines and not any("```" in line or "**" in line for line in lines)
    assert lines[-1] == "More: dpkb show ZZ0 · see it happen: dpkb repro ZZ0"


def test_a_withdrawn_entry_is_marked_in_the_text_only(tmp_path):
    folder = write_catalogue(tmp_path)
    (page,) = (folder / "kb").glob("zz1_*.md")
    page.write_text(page.read_text().replace("kind: silent\n", "kind: silent\nwithdrawn: It is gone.\n"))
    result = find_entries([folder], "failure made for a test", 5)
    first_line = render_search("a", result, False).split("\n")[0]
    assert first_line == "ZZ1   A failure made for a test (silent, withdrawn)"
    assert "withdrawn" not in str(search_fields("a", result))


def test_without_a_clear_hit_there_is_no_answer():
    assert "in short" not in render_search("a", search_result(10.0, 9.0), False)


def test_an_unclear_question_is_asked_back_in_sixty_columns():
    result = replace(search_result(10.0), unclear=True)
    lines = render_search("train.py error", result, False, 60).split("\n")
    assert lines[0].startswith("This does not say what failed") and max(map(len, lines)) <= 60
    assert [line.split("  ")[1] for line in lines[2:6]] == [case for case, _ in UNCLEAR_CASES]
    for (_, ids), line in zip(UNCLEAR_CASES, lines[2:6], strict=True):
        assert all(f"dpkb {entry_id}" in line for entry_id in ids)
    assert search_fields("train.py error", result)["unclear"]


def test_the_json_is_the_same_with_and_without_an_answer():
    assert search_fields("a", search_result(10.0, answer=ANSWER)) == search_fields("a", search_result(10.0))


def test_an_answer_cannot_steer_the_terminal():
    assert "\x1b" not in render_search(
        "a", search_result(1.0, answer="a \x1b[31mred\x1b[0m\n\n```\n\x1b]0;x\x07\n```"), False
    )


@pytest.mark.parametrize(("question", "answered"), [("walrus", True), ("failure made for a test", False)])
def test_only_a_hit_with_a_rare_word_is_clear(tmp_path, question, answered):
    """One entry has the rare word; the common words are in both, so neither is clearly the best."""
    for i, word in enumerate(("walrus", "giraffe")):
        write_catalogue(tmp_path, entry_id=f"ZZ{i + 1}", search=SEARCH.replace("one", word))
    answer = find_entries([tmp_path], question, 5).answer
    assert answer == ("It was written for a test." if answered else "")


def test_one_hit_shown_of_two_alike_is_not_clear(tmp_path):
    for i in range(2):
        write_catalogue(tmp_path, entry_id=f"ZZ{i + 1}")
    assert find_entries([tmp_path], "failure made for a test", 1).answer == ""
