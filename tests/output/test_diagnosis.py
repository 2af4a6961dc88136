"""A diagnosis as text and as JSON: the evidence, and the checks that tell matches apart."""

import json

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.diagnosis.match import Diagnosis, Match, MatchedLine
from dpkb.diagnosis.progress_hints import Hint
from dpkb.diagnosis.triage import NextStep
from dpkb.output.diagnosis import diagnosis_fields, render_diagnosis


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    """Six entries; the page of the second says how it differs from the first."""
    folder = tmp_path_factory.mktemp("catalogue")
    for number in range(1, 7):
        write_catalogue(folder, f"ZZ{number}", search=SEARCH)
    page = folder / "kb" / "zz2_made.md"
    check = "confused_with: [{id: ZZ1, check: 'Look twice: then it is this entry.'}]"
    page.write_text(page.read_text().replace("confused_with: []", check))
    page = folder / "kb" / "zz1_made.md"
    short = "It was written for a test."
    answer = f"{short}\n\n- **Check:** look at it.\n- **Fix:** remove\n  it:"
    page.write_text(page.read_text().replace(short, answer))
    return load([folder])


def match(entry="ZZ1", lines=1, text="it \x1bfailed"):
    return Match(entry, "A failure", 10.0, tuple(MatchedLine(n + 1, text, "failed") for n in range(lines)))


def shown(catalogue, *matches, hints=(), width=100, colour=False, **more):
    answer = Diagnosis(tuple(matches), more.pop("errors", ()), tuple(hints), **more)
    return render_diagnosis(answer, catalogue, colour, width).splitlines()


def test_a_match_is_shown_with_its_lines_of_the_log(catalogue):
    assert shown(catalogue, match(lines=5)) == [
        "ZZ1   A failure",
        *[f"      line {n}: it \\x1bfailed" for n in (1, 2, 3)],
        "      It does what the test says, with value=2.",
        "",
        "More: dpkb show ZZ1",
    ]


def test_the_check_that_tells_two_matches_apart_may_be_on_either_page(catalogue):
    for pair in (("ZZ1", "ZZ2"), ("ZZ2", "ZZ1")):
        lines = shown(catalogue, *map(match, pair))
        at = lines.index("Which of these is it?")
        assert lines[at + 1 : at + 3] == [
            f"  {pair[0]} or {pair[1]} (A failure made for a test)?",
            "      Look twice: then it is ZZ2.",
        ]


def test_a_single_match_has_the_checks_of_its_page(catalogue):
    lines = shown(catalogue, match("ZZ2"))
    at = lines.index("Or is it another entry?")
    assert lines[at + 1] == "  ZZ2 or ZZ1 (A failure made for a test)?"
    assert "Which of these is it?" not in shown(catalogue, match("ZZ2"), match("ZZ3"))


def test_a_line_that_two_signatures_match_is_shown_once(catalogue):
    twice = Match("ZZ1", "A failure", 10.0, tuple(MatchedLine(2, "it failed", s) for s in ("it", "failed")))
    lines = shown(catalogue, twice)
    assert [line for line in lines if "line 2" in line] == ["      line 2: it failed"]


def test_only_the_best_matches_are_shown_in_full(catalogue):
    lines = shown(catalogue, *[match(f"ZZ{n}") for n in range(1, 7)])
    assert "Also possible: ZZ5, ZZ6" in lines and not any(line.startswith("ZZ5") for line in lines)


def test_without_a_match_the_last_error_and_a_next_step_are_shown(catalogue):
    lines = shown(catalogue, errors=("first", "last \x1berror"), next_step=NextStep("Q1", "take its stack"))
    assert lines == [
        "No entry of the catalogue explains this log.",
        "The last error in the log: last \\x1berror",
        "Collect next: take its stack (dpkb show Q1)",
        "To search for a symptom in your own words: dpkb search WORDS",
    ]
    assert len(shown(catalogue)) == 2


@pytest.mark.parametrize("matches", [(), (match(),)])
def test_a_hint_is_called_a_hint(catalogue, matches):
    lines = shown(catalogue, *matches, hints=[Hint(("ZZ3",), "the loss is stuck", 3)])
    at = lines.index("What the numbers in the log suggest (a hint)")
    assert lines[at + 1 : at + 3] == ["  the loss is stuck", "      ZZ3   A failure made for a test"]


def test_no_line_is_wider_than_the_window(catalogue):
    wide = match(text="word " * 40)
    lines = shown(catalogue, wide, match("ZZ2"), hints=[Hint(("ZZ3",), "word " * 40, 1)], width=60)
    assert max(map(len, lines)) <= 60
    assert "\x1b[1mZZ1" in shown(catalogue, wide, colour=True)[0]


def test_json_has_every_field(catalogue):
    answer = Diagnosis((match(),), (), (Hint(("O1",), "stuck", 3),), NextStep("Q1", "take its stack"))
    fields = diagnosis_fields(answer, catalogue)
    (found,) = fields["matches"]
    assert {key: found[key] for key in ("id", "certainty", "message", "where", "fix", "help")} == {
        "id": "ZZ1",
        "certainty": "likely",
        "message": "it \x1bfailed",
        "where": {"line": 1},
        "fix": "remove it:",
        "help": "dpkb show ZZ1",
    }
    assert fields["matches"][0]["evidence"] == [{"line": 1, "text": "it \x1bfailed", "signature": "failed"}]
    assert fields["hints"] == [{"ids": ["O1"], "certainty": "hint", "message": "stuck", "line": 3}]
    assert fields["next"] == {"id": "Q1", "advice": "take its stack"}
    assert diagnosis_fields(Diagnosis((), ()), catalogue) == {"matches": [], "hints": [], "next": None}
    assert json.loads(json.dumps(fields)) == fields
