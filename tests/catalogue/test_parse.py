"""One entry's text: every mistake gives one problem with its line and key."""

from pathlib import Path

import pytest
from support import ENTRY, MESSAGES, SEARCH

from dpkb.catalogue.parse import parse_entry

GOOD = ENTRY.format(id="ZZ1", shows="wrong-result", extra="", symptom="It is there.")


def read(text, search=SEARCH, claims=None, messages=None):
    return parse_entry(text, Path("kb/zz1_made.md"), Path("reproducers/zz1_made"), search, claims, messages)


def problems(text, search=SEARCH):
    return read(text, search)[1]


def test_a_good_entry_has_no_problem():
    entry, found = read(GOOD)
    assert found == []
    assert entry.find_script("broken").path == Path("reproducers/zz1_made/broken.py")
    assert entry.find_section("Fix").strip() == "Use the other script."
    assert entry.family == "ZZ"


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ("kind: silent", "kind: quiet", 5, "kind", "must be one of"),
        ("id: ZZ1", "id: zz1", 2, "id", "is not an id"),
        (
            "kind: silent",
            "kind: silent\nfound_by: {lint: certain}\nunseen: it is rare",
            7,
            "unseen",
            "leave one",
        ),
        ("kind: silent", "kind: silent\nfound_by: {lint: sure}", 6, "found_by.lint", "must be one of"),
        ("kind: silent", "kind: silent\nkindness: 3", 6, "kindness", "unknown key"),
        (
            "summary: It does what the test says, with bool() in experiment() and value=2.\n",
            "",
            2,
            "summary",
            "missing",
        ),
        ("title: A failure made for a test", "title: 2.4", 3, "title", "must be text, is the float 2.4"),
        ("title: A failure made for a test", "title: ''", 3, "title", "must not be empty"),
        ("title: A failure made for a test", "title: [a]", 3, "title", "must be text, is a list"),
        ('{torch: ">=1.8"}', "{torch: '=>1.8'}", 6, "affects.torch", "not a version range"),
        ('{torch: ">=1.8"}', "{Tensor_flow: '>1'}", 6, "affects.Tensor_flow", "unknown key"),
        ("see_also: []", "see_also: ZZ2", 7, "see_also", "must be a list"),
        ("see_also: []", "see_also: [see ZZ2]", 7, "see_also[0]", "is not an id"),
        ("confused_with: []", "confused_with: [{id: ZZ2}]", 8, "confused_with[0].check", "missing"),
        ("url: https://example.org/", "url: example.org", 11, "sources[0].url", "must be an address"),
        ("shows: wrong-result", "shows: wrong", 15, "scripts.broken.shows", "must be one of"),
        ("    shows: wrong-result\n", "", 13, "scripts.broken", "must say what it shows"),
        ("shows: wrong-result", "shows: raises", 13, "scripts.broken", "needs a `pattern`"),
        ("shows: wrong-result", "shows: killed\n    pattern: a", 16, "scripts.broken.pattern", "only"),
        ("  fixed:", "  repaired:", 12, "scripts.fixed", "missing"),
        ("claim: it works", "claim: it works\n    shows: hangs", 18, "scripts.fixed.shows", "healthy"),
        (
            "claim: it works",
            "claim: it works\n    not_reported: so",
            18,
            "scripts.fixed.not_reported",
            "unhealthy",
        ),
        (
            "shows: wrong-result",
            "shows: wrong-result\n    not_reported: so",
            16,
            "scripts.broken.not_reported",
            "found_by",
        ),
        ("claim: it works", "claim: it works\n    torch: 2.4", 18, "scripts.fixed.torch", "the float"),
        ("## Fix", "## Cure", 28, None, "heading 'Cure'"),
        ("## Fix\n\nUse the other script.\n\n", "", 19, None, "'## Fix' is missing"),
        ("Use the other script.", "", 28, None, "no text below 'Fix'"),
        ("title:", "title: again\ntitle:", 4, "title", "occurs twice"),
        ("title: A", "title: &a A", None, None, None),
        ("see_also: []", "see_also: &a [*a]", 7, None, "anchors"),
        ("id: ZZ1", "id: [ZZ1", 3, None, "not valid YAML"),
        ("---\nid", "id", 1, None, "first line"),
    ],
)
def test_each_mistake_is_reported_with_its_place(old, new, line, key, says):
    assert old in GOOD
    found = problems(GOOD.replace(old, new, 1))
    if says is None:
        assert found == []
        return
    assert len(found) == len({(p.line, p.key, p.message) for p in found}) >= 1
    matching = [p for p in found if says in p.message and line in (p.line, None)]
    assert matching, [str(p) for p in found]
    if key:
        assert matching[0].key == key


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ("keywords: [one, two, three]", "keywords: one", 1, "keywords", "must be a list, is text"),
        ("keywords: [one, two, three]", "keywords: [one, 2, three]", 1, "keywords[1]", "the int 2"),
        ("keywords: [one, two, three]", "keywords: [one]", 1, "keywords", "at least 3"),
        ("signatures: []", "signatures: [{match: '(x'}]", 3, "signatures[0].match", "RE2"),
        ("signatures: []", "signatures: [{match: '(a)\\1'}]", 3, "signatures[0].match", "RE2"),
        ("signatures: []", "signatures: [{match: '(?=a)b'}]", 3, "signatures[0].match", "RE2"),
        ("signatures: []", "signatures: [{text: a}]", 3, "signatures[0].text", "unknown key"),
        ("keywords: [one, two, three]", "keywords: [[[[[[[[[[one]]]]]]]]]]", 1, None, "nested too deeply"),
        ("keywords: [one, two, three]\n", "", 1, "keywords", "missing"),
        ("signatures: []", "signatures: [{match: a, weak: 3}]", 3, "signatures[0].weak", "true or false"),
        ("keywords: [", "keywords: [[", 2, None, "not valid YAML"),
        ("keywords: [", "id: ZZ1\nkeywords: [", 1, "id", "unknown key"),
    ],
)
def test_a_mistake_in_the_search_words_is_located_in_their_file(old, new, line, key, says):
    assert old in SEARCH
    (problem, *_) = [p for p in problems(GOOD, SEARCH.replace(old, new, 1)) if says in p.message]
    assert (problem.path.name, problem.key if key else None) == ("zz1_made.search.yaml", key)
    assert problem.line == line


def test_search_words_are_required():
    (problem,) = problems(GOOD, None)
    assert problem.path.name == "zz1_made.search.yaml" and "missing" in problem.message


CLAIMS = "broken: {claim: it fails, shows: wrong-result}\nfixed: {claim: it works}\n"
WITHOUT_SCRIPTS = GOOD[: GOOD.index("scripts:")] + GOOD[GOOD.index("---\n\n## In short") :]


def test_claims_may_be_in_a_file_of_their_own():
    entry, found = read(WITHOUT_SCRIPTS, claims=CLAIMS)
    assert found == []
    assert [script.claim for script in entry.scripts] == ["it fails", "it works"]
    assert entry.find_script("fixed").declared_in == Path("reproducers/zz1_made/claims.yaml")


@pytest.mark.parametrize(
    ("text", "claims", "says"),
    [
        (GOOD, CLAIMS, "leave this key out"),
        (WITHOUT_SCRIPTS, None, "the scripts are missing"),
        (WITHOUT_SCRIPTS, "fixed: {claim: it works}", "this script is missing"),
        (WITHOUT_SCRIPTS, "- broken", "must be a mapping"),
        (GOOD.replace("see_also: []", "see_also: [" + "\n" * 50 + "]"), None, "at most 59"),
    ],
)
def test_scripts_are_declared_once(text, claims, says):
    assert any(says in problem.message for problem in read(text, claims=claims)[1])


def test_all_mistakes_are_reported_at_once():
    text = GOOD.replace("kind: silent", "kind: x").replace("id: ZZ1", "id: no").replace("## Fix", "## F")
    assert len(problems(text)) == 4


def test_recorded_messages_are_patterns_for_a_log_beside_the_signatures():
    entry, found = read(GOOD, messages=MESSAGES)
    assert found == []
    (row,) = entry.messages
    assert (row.call, row.seen) == ("layer(torch.rand(4))", ("1.8.1", "2.15.0"))
    assert [(p.match, p.is_recorded) for p in entry.line_patterns] == [(row.match, True)]


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ("got \\d+", "had \\d+", 2, "messages[0]", "does not match its own message"),
        ("got \\d+", "(got", 2, "messages[0].match", "RE2"),
        ("  call: layer(torch.rand(4))\n", "", 2, "messages[0].call", "missing"),
        ("[1.8.1, 2.15.0]", "[]", 5, "messages[0].seen", "at least 1"),
        ("[1.8.1, 2.15.0]", "[2.4]", 5, "messages[0].seen[0]", "must be text"),
        ("  call:", "  reason: none\n  call:", 4, "messages[0].reason", "unknown key"),
        ("messages:", "rows:", 1, "rows", "unknown key"),
    ],
)
def test_a_mistake_in_the_recorded_messages_is_named(old, new, line, key, says):
    assert old in MESSAGES
    entry, found = read(GOOD, messages=MESSAGES.replace(old, new))
    assert entry is None and says in found[0].message
    assert (found[0].path.name, found[0].line, found[0].key) == ("zz1_made.messages.yaml", line, key)
