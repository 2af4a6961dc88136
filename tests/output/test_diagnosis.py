"""A diagnosis as text and as JSON: the evidence, and the checks that tell matches apart."""

import json
from dataclasses import replace

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.diagnosis.conclusion import Diagnosis, Match, RankEnd
from dpkb.diagnosis.failures import CAUSE, LOST_PEER, Failure
from dpkb.diagnosis.match import MatchedLine
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


def test_a_match_is_shown_with_its_lines_of_the_log_and_its_answer(catalogue):
    assert shown(catalogue, match(lines=5)) == [
        "ZZ1   A failure",
        *[f"      line {n}: it \\x1bfailed" for n in (1, 2, 3)],
        "",
        "  It was written for a test.",
        "",
        "  - Check: look at it.",
        "  - Fix: remove it (dpkb show ZZ1 has the code).",
        "",
        "More: dpkb show ZZ1",
    ]


def test_the_check_that_tells_two_matches_apart_may_be_on_either_page(catalogue):
    for pair in (("ZZ1", "ZZ2"), ("ZZ2", "ZZ1")):
        lines = shown(catalogue, *map(match, pair))
        at = lines.index("Which of these is it?")
        assert lines[at + 1 : at + 3] == [
            f"  {pair[1]}   A failure made for a test",
            "      Look twice: then it is ZZ2.",
        ]


def test_a_single_match_has_the_checks_of_its_page(catalogue):
    lines = shown(catalogue, match("ZZ2"))
    at = lines.index("Or is it another entry?")
    assert lines[at + 1] == "  ZZ1   A failure made for a test"
    # An entry with which the first is not confused has no check.
    lines = shown(catalogue, match("ZZ2"), match("ZZ3"))
    assert lines[lines.index("Which of these is it?") + 2 :] == ["", "More: dpkb show ZZ2"]


def test_a_line_that_two_signatures_match_is_shown_once(catalogue):
    twice = Match("ZZ1", "A failure", 10.0, tuple(MatchedLine(2, "it failed", s) for s in ("it", "failed")))
    lines = shown(catalogue, twice)
    assert [line for line in lines if "line 2" in line] == ["      line 2: it failed"]


def test_only_the_best_matches_are_shown_in_full(catalogue):
    lines = shown(catalogue, *[match(f"ZZ{n}") for n in range(1, 7)])
    assert "  Also possible: ZZ4, ZZ5, ZZ6" in lines and not any(line.startswith("ZZ2") for line in lines)


def failure(rank, text, line=3, order=CAUSE, **more):
    return Failure(rank, line, text, order, **more)


def test_ranks_are_shown_before_the_entry(catalogue):
    first = failure(2, "KeyError: 'label'", code=("/home/u/fit.py", 40), file="r2.log")
    lost = [failure(rank, "RuntimeError: lost \x1bpeer", order=LOST_PEER) for rank in (0, 1)]
    ranks = (
        RankEnd(2, "first", first),
        *(RankEnd(f.rank, "followed", f) for f in lost),
        RankEnd(3, "silent"),
    )
    more = {"first": first, "consequences": tuple(lost), "ranks": ranks}
    assert shown(catalogue, **more)[:6] == [
        "Rank 2 failed first: KeyError: 'label'",
        "      r2.log, line 3; in your code: /home/u/fit.py, line 40",
        "      ranks 0-1 followed: RuntimeError: lost \\x1bpeer",
        "      rank 3 wrote no error",
        "",
        "No entry of the catalogue explains this log.",
    ]
    lines = shown(catalogue, ranks=(*ranks[1:3], RankEnd(3, "silent", None, "config is wrong")))
    assert lines[0].startswith("No rank wrote an error of its own")
    assert lines[3] == "      the last line of rank 3: config is wrong"
    fields = diagnosis_fields(Diagnosis((), (), **more), catalogue, {"x.pt": "is no log"})
    assert [end["role"] for end in fields["ranks"]] == ["first", "followed", "followed", "silent"]
    assert fields["ranks"][0] == {
        "rank": 2,
        "role": "first",
        "file": "r2.log",
        "line": 3,
        "error": "KeyError: 'label'",
        "last_line": "",
    }
    place = {"file": "r2.log", "rank": 2, "line": 3}
    code = {"file": "/home/u/fit.py", "line": 40}
    assert fields["first_error"] == {**place, "error": "KeyError: 'label'", "code": code}
    assert [c["consequence_of"] for c in fields["consequences"]] == [place, place]
    assert fields["unreadable"] == {"x.pt": "is no log"}


def test_what_chose_the_entry_and_the_line_of_code_are_shown(catalogue):
    found = replace(match(), because=("memory rises from 1 to 2",))
    lines = shown(catalogue, found, first=failure(None, "it failed", code=("fit.py", 7)))
    assert lines[1:4] == [
        "      because memory rises from 1 to 2",
        "      line 1: it \\x1bfailed",
        "      in your code: fit.py, line 7",
    ]
    (fields,) = diagnosis_fields(Diagnosis((found,), ()), catalogue)["matches"]
    assert fields["because"] == ["memory rises from 1 to 2"]


def test_an_error_without_an_entry_is_shown_with_its_place(catalogue):
    lines = shown(catalogue, first=failure(None, "ValueError: bad", code=("fit.py", 7)))
    assert lines[1:3] == [
        "The error in line 3: ValueError: bad",
        "The last line in your code: fit.py, line 7",
    ]


def test_without_a_match_the_last_error_and_a_next_step_are_shown(catalogue):
    lines = shown(catalogue, errors=("first", "last \x1berror"), next_step=NextStep("Q1", "take its stack"))
    assert lines == [
        "No entry of the catalogue explains this log.",
        "The last error in the log: last \\x1berror",
        "Collect next: take its stack (dpkb show Q1)",
        "For a symptom in your own words: dpkb search WORDS",
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
        "fix": "remove it (dpkb show ZZ1 has the code).",
        "help": "dpkb show ZZ1",
    }
    assert fields["matches"][0]["evidence"] == [{"line": 1, "text": "it \x1bfailed", "signature": "failed"}]
    assert fields["hints"] == [{"ids": ["O1"], "certainty": "hint", "message": "stuck", "line": 3}]
    assert fields["next"] == {"id": "Q1", "advice": "take its stack"}
    assert diagnosis_fields(Diagnosis((), ()), catalogue) == {
        "matches": [],
        "hints": [],
        "next": None,
        "signpost": None,
        "first_error": None,
        "consequences": [],
        "ranks": [],
        "stacks": [],
        "differences": [],
        "unreadable": {},
    }
    assert json.loads(json.dumps(fields)) == fields
