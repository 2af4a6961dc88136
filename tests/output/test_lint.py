"""The findings of lint as text, JSON, SARIF and commands of GitHub Actions."""

import json

import pytest
from support.corpus import CORPUS

from dpkb.lint.finding import Certainty, Edit, Finding, Rewrite
from dpkb.lint.run import LintResult
from dpkb.output.documents import find_site
from dpkb.output.lint import (
    format_position,
    lint_fields,
    render_github_commands,
    render_lines,
    render_lint,
    render_rule,
    render_sarif,
    render_statistics,
)

LINE = "    self.layers = [nn.Linear(8, 8)]"


def finding(rule="N3", certainty=Certainty.CERTAIN, **more):
    fields = {
        "message": "a list of layers",
        "fix": "nn.ModuleList",
        "file": "net.py",
        "line": 7,
        "column": 5,
        "source_line": LINE,
    }
    return Finding(rule, certainty, **{**fields, **more})


def shown(*findings, hints=False, colour=False, **more):
    return render_lint(LintResult(findings, files=3, **more), hints, colour)


def sarif(*findings):
    text = render_sarif(LintResult(findings), CORPUS.catalogue.titles)
    assert text.isascii()
    return json.loads(text)["runs"][0]


def test_a_finding_has_its_place_line_and_fix():
    assert shown(finding()).splitlines() == [
        "net.py:7:5: N3 certain: a list of layers",
        "  7 | self.layers = [nn.Linear(8, 8)]",
        "    | ^",
        "    fix: nn.ModuleList",
        "",
        "1 finding in 1 of 3 files. To read more: dpkb show N3",
    ]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("x = torch.load(p)", "t"),
        ("    x = torch.load(p)", "t"),
        ("\tx = torch.load(p)", "t"),
        ("\t  x =  torch.load(p)", "t"),
        ("größe = torch.load(p)", "t"),
        ("x = 'a\tb'; torch.load(p)", "t"),
        ("x = '\x1b'; torch.load(p)", "t"),
        ("torch.load(p)", "t"),
    ],
)
def test_the_caret_is_below_the_place(line, marked):
    _, code, caret, *_ = shown(finding(source_line=line, column=line.index("torch") + 1)).splitlines()
    assert code[caret.index("^")] == marked and code[caret.index("^") :].startswith("torch")


def test_the_code_of_a_finding_is_underlined_as_far_as_it_is_shown():
    _, code, mark, *_ = shown(finding(end_column=16)).splitlines()
    assert code[mark.index("^") :][: mark.count("^")] == "self.layers"
    _, code, mark, *_ = shown(finding(line=1234, end_column=999)).splitlines()
    assert code == "1234 | self.layers = [nn.Linear(8, 8)]" and len(mark) == len(code)


def test_a_concise_finding_is_one_line():
    assert render_lines(LintResult((finding(), finding("DP1", Certainty.LIKELY)), files=1)).splitlines() == [
        "net.py:7:5: N3 certain: a list of layers",
        "net.py:7:5: DP1 likely: a list of layers",
    ]


def test_a_place_that_is_not_shown_has_no_caret():
    long = "x = " + "1 + " * 60 + "torch.load(p)"
    lines = shown(finding(source_line=long, column=long.index("torch") + 1)).splitlines()
    assert lines[1].endswith("…") and lines[2].startswith("    fix")


def test_a_finding_in_a_notebook_has_its_cell():
    assert format_position(finding(file="a.ipynb", cell=3)) == "a.ipynb cell 3:7:5"
    assert format_position(finding(file="a\nb.py")) == "a b.py:7:5"


def test_colour_is_only_where_it_is_wanted():
    assert "\x1b[1m" in shown(finding(), colour=True) and "\x1b" not in shown(finding(message="\x1b[31m"))


@pytest.mark.parametrize(("certainty", "code"), [("certain", 31), ("likely", 33), ("hint", 34)])
def test_the_colour_says_how_sure_a_finding_is(certainty, code):
    assert f"\x1b[{code}m N3\x1b[0m {certainty}" in shown(
        finding(certainty=Certainty(certainty)), colour=True
    )


@pytest.mark.parametrize(
    ("hints", "silenced", "says"),
    [
        (False, 0, "nothing found in 3 files; --hints looks for more"),
        (True, 0, "nothing found in 3 files"),
        (False, 2, "nothing found in 3 files; 2 silenced by comments; --hints looks for more"),
    ],
)
def test_without_findings_the_summary_says_so(hints, silenced, says):
    assert shown(hints=hints, silenced=silenced) == says


def test_corrections_are_promised_by_how_sure_they_are():
    edit = Edit((7, 0), (7, 1), "y")
    sure, unsure = (finding(rewrite=Rewrite((edit,), unsafe)) for unsafe in (False, True))
    assert "; --fix corrects 1; --fix --unsafe-fixes corrects 2. " in shown(
        sure, unsure, finding(file="b.py")
    )
    assert "; --fix corrects 1. " in shown(sure)
    assert "files; --fix --unsafe-fixes corrects 1. " in shown(unsure)


def test_a_cell_of_a_notebook_is_not_promised_a_correction():
    in_a_cell = finding(file="a.ipynb", cell=1, rewrite=Rewrite((Edit((7, 0), (7, 1), "y"),)))
    assert "--fix" not in shown(in_a_cell)


def test_statistics_have_the_most_frequent_first():
    result = LintResult((finding(), finding("DP1", Certainty.LIKELY), finding(line=8)), files=1)
    assert render_statistics(result).splitlines() == [
        "     2 N3    certain",
        "     1 DP1   likely",
        "     3 in 1 file",
    ]


def test_a_rule_is_described_in_its_own_words():
    text = render_rule("N3")
    assert text.startswith("N3: ") and "\nLooks for: self.layers" in text and text.endswith("dpkb show N3")


def test_json_has_no_null_for_a_cell_that_is_none():
    fields = lint_fields(LintResult((finding(), finding(cell=2)), files=1), {"N3": "a title"})
    first, second = fields["findings"]
    assert first["where"] == {"file": "net.py", "line": 7, "column": 5} and second["where"]["cell"] == 2
    assert first["title"] == "a title" and first["evidence"] == [{"line": LINE.strip()}]
    assert lint_fields(LintResult((finding("ZZ1"),)), {})["findings"][0]["title"] == ""


@pytest.mark.parametrize(
    ("certainty", "level"),
    [(Certainty.CERTAIN, "error"), (Certainty.LIKELY, "warning"), (Certainty.HINT, "notice")],
)
def test_github_marks_the_line(certainty, level):
    found = finding(certainty=certainty, file="a,b:c.py", message="50%\nmore")
    assert render_github_commands(LintResult((found,))) == (
        f"::{level} file=a%2Cb%3Ac.py,line=7,col=5,title=N3::50%25%0Amore. Fix: nn.ModuleList"
    )


def test_sarif_names_rule_level_and_place():
    run = sarif(finding(certainty=Certainty.HINT), finding("DP1"))
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert [rules[found["ruleIndex"]]["id"] for found in results] == ["N3", "DP1"]
    assert [found["level"] for found in results] == ["note", "error"]
    assert all(
        rule["shortDescription"]["text"] == CORPUS.catalogue.find_entry(rule["id"]).title for rule in rules
    )


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("src\\net.py", "src/net.py"),
        ("my net#1.py", "my%20net%231.py"),
        ("50%.py", "50%25.py"),
        ("größe.py", "gr%C3%B6%C3%9Fe.py"),
        ("\udce9.py", "%E9.py"),
    ],
)
def test_a_file_is_an_address_in_sarif(file, uri):
    (found,) = sarif(finding(file=file))["results"]
    assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_columns_of_sarif_count_utf_16_units():
    line = "x = '\U0001f525'; torch.load(p)"
    (found,) = sarif(finding(source_line=line, column=line.index("torch") + 1))["results"]
    units = line.encode("utf-16-le")
    start = found["locations"][0]["physicalLocation"]["region"]["startColumn"] - 1
    assert units[2 * start :].decode("utf-16-le").startswith("torch.load")


def test_sarif_has_the_correction_where_it_is_sure():
    edit = Edit((1, 4), (1, 5), "y", utf16_columns=(3, 4))
    run = sarif(finding(rewrite=Rewrite((edit,))), finding(rewrite=Rewrite((edit,), unsafe=True)))
    assert run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"] == [
        {
            "deletedRegion": {"startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 5},
            "insertedContent": {"text": "y"},
        }
    ]
    assert "fixes" not in run["results"][1]


def test_a_line_keeps_its_fingerprint_when_lines_above_it_change():
    one, moved, other = sarif(
        finding(line=7), finding(line=9), finding(line=7, source_line="self.layers = []")
    )["results"]
    assert one["partialFingerprints"] == moved["partialFingerprints"] != other["partialFingerprints"]


def test_addresses_appear_where_the_project_names_a_site(tmp_path, monkeypatch):
    assert "helpUri" not in sarif(finding())["tool"]["driver"]["rules"][0]
    (tmp_path / "pyproject.toml").write_text('[tool.dpkb]\nsite = "https://docs.example/dpkb/"\n')
    monkeypatch.chdir(tmp_path)
    find_site.cache_clear()
    try:
        address = "https://docs.example/dpkb/entries/n3.html"
        driver = sarif(finding())["tool"]["driver"]
        assert driver["informationUri"] == "https://docs.example/dpkb"
        assert driver["rules"][0]["helpUri"] == address and address in driver["rules"][0]["help"]["markdown"]
        assert address in render_github_commands(LintResult((finding(),)))
        assert lint_fields(LintResult((finding(),)), {})["findings"][0]["url"] == address
    finally:
        find_site.cache_clear()
