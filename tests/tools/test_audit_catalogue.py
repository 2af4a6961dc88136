"""tools/audit_catalogue.py: which reports it calls wrong."""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support import ROOT

from dpkb.audit.guest_half import all_checks
from dpkb.catalogue.load import load
from dpkb.model import Outcome, Script, VersionRange
from dpkb.runner.verify import read_scripts
from tools import audit_catalogue
from tools.audit_catalogue import ScriptReport, audit_cold, audit_warm, describe_problem

UNHEALTHY = Script("O1", "broken", Path("broken.py"), "it fails", Outcome.WRONG_RESULT)
HEALTHY = replace(UNHEALTHY, name="fixed", shows=Outcome.HEALTHY)
NOT_REPORTED = replace(UNHEALTHY, not_reported="it would need the labels")
FIXED_SINCE_2_0 = replace(HEALTHY, range=VersionRange((("torch", ">=2.0"),)))
WITHOUT_A_CHECK = replace(UNHEALTHY, entry="ZZ1")
TORCH: dict[str, str | None] = {"torch": "1.13.1"}
NOTHING = ScriptReport([], 1, [], [])
O1 = ScriptReport(["O1"], 1, [], ["O1 certain: gradients add up"])
DP1 = ScriptReport(["DP1"], 1, [], ["DP1 likely: equal"])


def test_the_entry_of_these_tests_has_a_check_and_the_other_has_none():
    assert "O1" in all_checks() and "ZZ1" not in all_checks()


@pytest.mark.parametrize(
    ("script", "report"),
    [
        (UNHEALTHY, O1),
        (UNHEALTHY, replace(O1, ids=["DP1", "O1"])),
        (HEALTHY, replace(NOTHING, code=0)),
        (HEALTHY, NOTHING),
        (NOT_REPORTED, NOTHING),
        (NOT_REPORTED, DP1),
        (WITHOUT_A_CHECK, NOTHING),
        (WITHOUT_A_CHECK, DP1),
        # It does not fail on this torch.
        (UNHEALTHY, replace(NOTHING, code=0)),
        # The fix works on later versions only.
        (FIXED_SINCE_2_0, O1),
        # The check says that it cannot see this here.
        (UNHEALTHY, replace(NOTHING, not_watched=["O1: the gradients, before torch 2.0"])),
        # It skips itself here.
        (UNHEALTHY, replace(NOTHING, code=77)),
        (HEALTHY, replace(O1, code=77)),
    ],
)
def test_a_right_report_is_not_a_problem(script, report):
    assert describe_problem(script, report, TORCH) is None


@pytest.mark.parametrize(
    ("script", "report", "text"),
    [
        (UNHEALTHY, NOTHING, "missed"),
        (UNHEALTHY, DP1, "missed: ['DP1 likely: equal']"),
        (HEALTHY, replace(O1, code=0), "false: ['O1 certain: gradients add up']"),
        (HEALTHY, DP1, "false: ['DP1 likely: equal']"),
        (FIXED_SINCE_2_0, replace(O1, code=0), "false: ['O1 certain: gradients add up']"),
        (UNHEALTHY, replace(NOTHING, not_watched=["modules in what torch.compile has compiled"]), "missed"),
        (UNHEALTHY, replace(O1, code=0), "false: ['O1 certain: gradients add up']"),
        (
            NOT_REPORTED,
            O1,
            "reported, although `not_reported` says why it cannot be: ['O1 certain: gradients add up']",
        ),
        (HEALTHY, replace(NOTHING, code=0, failures=["KeyError: 1"]), "failed: ['KeyError: 1']"),
        (
            HEALTHY,
            ScriptReport([], None, ["no report within 180 s"], []),
            "failed: ['no report within 180 s']",
        ),
    ],
)
def test_a_wrong_report_is_named(script, report, text):
    assert describe_problem(script, report, TORCH) == text


def test_the_tool_names_wrong_reports_and_keeps_all_as_json(tmp_path, monkeypatch, capsys):
    file = tmp_path / "reports.json"
    monkeypatch.setattr(sys, "argv", ["audit_catalogue", "--json", str(file), "o1/broken.py", "O1/fixed"])
    # As if no check reported anything.
    monkeypatch.setattr(audit_catalogue, "audit_warm", lambda python, scripts, *_: [NOTHING] * len(scripts))
    with pytest.raises(SystemExit) as ended:
        audit_catalogue.main()
    assert ended.value.code == 1
    assert capsys.readouterr().out.splitlines() == ["O1/broken: missed", "2 scripts, 0 left out, 1 wrong"]
    reports = json.loads(file.read_text())
    assert reports["O1/fixed"] == {"ids": [], "code": 1, "failures": [], "messages": [], "not_watched": []}
    assert set(reports) == {"O1/broken", "O1/fixed"}


def test_a_cold_run_that_takes_too_long_is_ended(monkeypatch):
    [script] = [s for s in read_scripts(load([ROOT]), ["O1"]) if s.name == "broken"]
    started, start = [], subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *words, **more: started.append(start(*words, **more)) or started[-1]
    )
    monkeypatch.setattr(audit_catalogue, "_MAX_SECONDS", 0)
    assert audit_cold(sys.executable, script).failures == ["no report within 0 s"]
    assert [process.returncode for process in started] == [-signal.SIGKILL]


# -- with torch ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_a_warm_and_a_cold_run_report_the_unhealthy_script_alone():
    catalogue = load([ROOT])
    scripts = [s for s in read_scripts(catalogue, ["O1"]) if s.name in ("broken", "fixed")]
    reports = audit_warm(sys.executable, scripts, 2, catalogue)
    by_name = {script.name: report for script, report in zip(scripts, reports, strict=True)}
    broken, fixed = by_name["broken"], by_name["fixed"]
    assert (broken.ids, broken.code, broken.failures) == (["O1"], 1, [])
    assert broken.messages[0].startswith("O1 certain: ")
    assert fixed == ScriptReport([], 0, [], [])
    for script, report in zip(scripts, reports, strict=True):
        assert describe_problem(script, report, TORCH) is None
    [script] = [s for s in scripts if s.name == "broken"]
    cold = audit_cold(sys.executable, script)
    assert (cold.ids, cold.code, cold.failures) == (broken.ids, broken.code, broken.failures)
