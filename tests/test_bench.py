"""The benchmarks work: dpkb reads the entries that they generate, and accuracies are counted correctly."""

import json
from types import SimpleNamespace

from support import ROOT

from bench import explained, finding, search, site
from dpkb.catalogue.check import check
from dpkb.catalogue.load import load


def test_generated_entries_can_be_read(tmp_path):
    search.write_entries(tmp_path, 5)
    catalogue = load([tmp_path])
    assert len(catalogue.entries) == 5 and catalogue.problems == []


def test_copies_of_entries_pass_the_check(tmp_path):
    real = list(load([ROOT]))
    # Each entry in two copies, and some in a third.
    copied = real[:: len(real) // 12]
    site.copy_catalogue(tmp_path, copied, 30)
    catalogue = load([ROOT, tmp_path])
    assert len(catalogue.entries) == len(real) + 30 > len(real) + 2 * len(copied)
    assert check(catalogue, [tmp_path]) == []
    assert len(list((tmp_path / "evidence").iterdir())) == len(list((ROOT / "evidence").glob("*.json")))


REPORTS = [
    {
        "id": "asked",
        "query": "DataLoader worker is killed by signal: Bus error",
        "log": None,
        "expect": ["DP15"],
        "lang": "en",
    },
    {"id": "nothing answers", "query": "how to bake bread", "log": None, "expect": ["NONE"]},
    {
        "id": "explained",
        "query": None,
        "expect": ["S4"],
        "also": ["DP14"],
        "log": "ValueError: sampler option is mutually exclusive with shuffle\n",
    },
    {
        "id": "another entry",
        "query": None,
        "expect": ["DP1"],
        "log": "ValueError: sampler option is mutually exclusive with shuffle\n",
    },
    # No entry explains these logs. The next step leads to the entry of the first.
    {"id": "next step", "query": None, "log": "step 1\nSIGTERM received\n", "expect": ["Q1"]},
    {"id": "silent", "query": None, "log": "step 1\nKeyError: 'spam'\n", "expect": ["NONE"]},
    {"id": "removed", "query": "anything", "log": None, "expect": ["XX1"]},
]


def test_finding_counts_right_and_wrong_answers(tmp_path, monkeypatch, capsys):
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(json.dumps(report) + "\n" for report in REPORTS))
    monkeypatch.setattr("sys.argv", ["finding", str(path)])
    finding.main()
    printed = " ".join(capsys.readouterr().out.split())
    for text in (
        "7 reports, ",
        "; 1 reports expect only entries that are not in this catalogue",
        "dpkb search right at 1 1.000 (1/1; ",
        "where nothing fits called weak 1.000 (1/1; ",
        "by language and by id en 1.000 (1/1; 0.21 to 1.00) DP15 1/1 ",
        "dpkb diagnose right 0.333 (1/3; ",
        "or the next step leads there 0.667 (2/3; ",
        "wrong 0.333 (1/3; ",
        "silent where nothing fits 1.000 (1/1; ",
        "no answer: next step, expected ['Q1'], found []",
        "wrong: another entry, expected ['DP1'], found ['DP14']",
    ):
        assert text in printed


def test_finding_takes_a_part_of_the_reports(tmp_path):
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(json.dumps(report) + "\n" for report in REPORTS))
    parts = [{report.id for report in finding.read_reports(str(path), part)} for part in ("1/2", "2/2")]
    assert all(parts) and not parts[0] & parts[1]
    assert parts[0] | parts[1] == {report["id"] for report in REPORTS}


PLAIN = "warning 7\nTraceback (most recent call last):\nRuntimeError: mat1 and mat2 shapes\n"
ADDED = """
Where it failed:
  /broken.py, line 3: x @ y
    x  float32 (3, 4) on cpu
    y  float32 (3, 4) on cpu
S1    perhaps: a title
      that is long
      fix: measure it
      more: dpkb show S1
"""


def test_explanations_are_judged_by_the_entry_of_the_script():
    def judge(entry, explained_stderr, code=1):
        script = SimpleNamespace(entry=entry, key=f"{entry}/broken")
        plain = explained.ProgramEnd(1, PLAIN)
        return explained.judge(script, plain, explained.ProgramEnd(code, explained_stderr))

    right = judge("S1", PLAIN.replace("7", "8") + ADDED)
    assert (right.verdict, right.values, right.is_unchanged) == ("its entry, perhaps", 2, True)
    other = judge("S2", PLAIN + ADDED.replace("perhaps: ", ""))
    assert other.verdict == "another entry" and "S2/broken" in explained.render_row(other)
    silent = judge("S1", PLAIN)
    assert (silent.verdict, silent.values, silent.is_unchanged) == ("no entry", 0, True)
    assert not judge("S1", PLAIN, code=2).is_unchanged and not judge("S1", ADDED + PLAIN).is_unchanged
    assert explained.render_sum([right, other, silent]).splitlines()[0] == (
        "3 programs: its entry, perhaps 1, another entry 1, no entry 1"
    )


def test_programs_that_raise_are_taken_from_all_families():
    scripts = explained.choose_scripts(list(load([ROOT])))
    assert len(scripts) > 60 and len({script.entry for script in scripts}) == len(scripts)
    assert len({script.entry[0] for script in scripts[:15]}) > 8
