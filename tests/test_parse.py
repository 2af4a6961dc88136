"""One entry's text: every mistake gives one problem with its line and key."""

from pathlib import Path

import pytest
from conftest import ENTRY

from dpkb.parse import mentions, parse

GOOD = ENTRY.format(id="X1", shows="wrong-result", extra="", symptom="It is there.")


def problems(text):
    return parse(text, Path("kb/x1_made.md"), Path("reproducers/x1_made"))[1]


def test_a_good_entry_has_none():
    entry, found = parse(GOOD, Path("kb/x1_made.md"), Path("reproducers/x1_made"))
    assert found == []
    assert entry.script("broken").path == Path("reproducers/x1_made/broken.py")
    assert entry.section("Fix").strip() == "Unmake."
    assert (entry.family, entry.sort_key) == ("X", ("X", 1))


@pytest.mark.parametrize(("old", "new", "line", "key", "says"), [
    ("kind: silent", "kind: quiet", 5, "kind", "must be one of"),
    ("id: X1", "id: x1", 2, "id", "is not an id"),
    ("kind: silent", "kind: silent\nkindness: 3", 6, "kindness", "unknown key"),
    ("summary: It does what the test says.\n", "", 2, "summary", "missing"),
    ("title: A failure made for a test", "title: 2.4", 3, "title", "must be text, is the float 2.4"),
    ("title: A failure made for a test", "title: ''", 3, "title", "must not be empty"),
    ("title: A failure made for a test", "title: [a]", 3, "title", "must be text, is a list"),
    ("keywords: [one, two, three]", "keywords: one", 6, "keywords", "must be a list, is text"),
    ("keywords: [one, two, three]", "keywords: [one, 2, three]", 6, "keywords[1]", "the int 2"),
    ("keywords: [one, two, three]", "keywords: [one]", 6, "keywords", "at least 3"),
    ("signatures: []", "signatures: [{match: '(x'}]", 8, "signatures[0].match", "RE2"),
    ("signatures: []", "signatures: [{match: '(a)\\1'}]", 8, "signatures[0].match", "RE2"),
    ("signatures: []", "signatures: [{match: '(?=a)b'}]", 8, "signatures[0].match", "RE2"),
    ("signatures: []", "signatures: [{text: a}]", 8, "signatures[0].text", "unknown key"),
    ('{torch: ">=1.8"}', "{torch: '=>1.8'}", 9, "affects.torch", "not a version range"),
    ('{torch: ">=1.8"}', "{tensorflow: '>1'}", 9, "affects.tensorflow", "unknown key"),
    ("see_also: []", "see_also: X2", 10, "see_also", "must be a list"),
    ("see_also: []", "see_also: [see X2]", 10, "see_also[0]", "is not an id"),
    ("confused_with: []", "confused_with: [{id: X2}]", 11, "confused_with[0].check", "missing"),
    ("url: https://example.org/", "url: example.org", 14, "sources[0].url", "must be an address"),
    ("shows: wrong-result", "shows: wrong", 18, "scripts.broken.shows", "must be one of"),
    ("    shows: wrong-result\n", "", 16, "scripts.broken", "must say what it shows"),
    ("shows: wrong-result", "shows: raises", 16, "scripts.broken", "needs a `pattern`"),
    ("shows: wrong-result", "shows: killed\n    pattern: a", 19, "scripts.broken.pattern", "only"),
    ("  fixed:", "  repaired:", 15, "scripts.fixed", "missing"),
    ("claim: it works", "claim: it works\n    shows: hangs", 21, "scripts.fixed.shows", "healthy"),
    ("claim: it works", "claim: it works\n    torch: 2.4", 21, "scripts.fixed.torch", "the float"),
    ("## Fix", "## Cure", 31, None, "heading 'Cure'"),
    ("## Fix\n\nUnmake.\n\n", "", 22, None, "'## Fix' is missing"),
    ("Unmake.", "", 31, None, "nothing stands under 'Fix'"),
    ("title:", "title: again\ntitle:", 4, "title", "stands twice"),
    ("title: A", "title: &a A", None, None, None),
    ("see_also: []", "see_also: &a [*a]", 10, None, "anchors"),
    ("keywords: [one, two, three]", "keywords: [[[[[[[[[[one]]]]]]]]]]", 6, None, "nested too deeply"),
    ("id: X1", "id: [X1", 3, None, "not valid YAML"),
    ("---\nid", "id", 1, None, "first line"),
])
def test_each_mistake_is_told_with_its_place(old, new, line, key, says):
    assert old in GOOD
    found = problems(GOOD.replace(old, new, 1))
    if says is None:
        assert found == []
        return
    assert len(found) >= 1
    told = [p for p in found if says in p.message and line in (p.line, None)]
    assert told, [str(p) for p in found]
    if key:
        assert told[0].key == key


def test_all_mistakes_are_told_at_once():
    text = GOOD.replace("kind: silent", "kind: x").replace("id: X1", "id: no").replace("## Fix", "## F")
    assert len(problems(text)) == 4


def test_an_alias_bomb_is_refused_at_once():
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20)
    )
    found = problems("---\n" + bomb + "---\n")
    assert "anchors" in found[0].message


def test_code_is_no_mention_of_an_id():
    ids, files = mentions("See DP15 and `DP16`, run `broken_x.py`.\n\n```python\nDP17\n```\n")
    assert (ids, files) == ({"DP15"}, {"broken_x.py"})
