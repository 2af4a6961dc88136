"""show, list, diff, new, and what every command does with a mistake."""

import json

import pytest
from conftest import ROOT


def test_show_has_every_part(dpkb):
    done = dpkb("show", "dp15", env={"COLUMNS": "200"})
    assert done.returncode == 0
    for part in ("Symptom", "Root cause", "Fix", "Traps", "How to check your own code",
                 "Or is it another one?", "See it on your machine", "dpkb repro DP15 --fixed",
                 "Sources", "https://"):
        assert part in done.stdout


def test_show_json(dpkb):
    told = json.loads(dpkb("show", "DP1", "--json").stdout)
    assert (told["version"], told["id"]) == (1, "DP1")
    assert {"broken", "fixed"} <= set(told["scripts"])


def test_an_unknown_id_offers_near_ones(dpkb):
    for command in (["show", "DP51"], ["repro", "DP51"], ["diff", "DP51"], ["verify", "DP51"]):
        done = dpkb(*command)
        assert done.returncode == 2
        assert "DP15" in done.stderr and "Traceback" not in done.stderr


def test_an_unknown_script_names_those_there_are(dpkb):
    done = dpkb("repro", "DP1", "--script", "nothing")
    assert done.returncode == 2
    assert "broken, fixed" in done.stderr


def test_list_and_its_filters(dpkb):
    told = json.loads(dpkb("list", "--json").stdout)
    ids = [entry["id"] for entry in told["entries"]]
    assert [i for i in ids if i.startswith("DP")][:3] == ["DP1", "DP2", "DP3"] and len(ids) >= 57
    silent = json.loads(dpkb("list", "--kind", "silent", "--json").stdout)["entries"]
    assert silent and {entry["kind"] for entry in silent} == {"silent"}
    assert "DP15" in dpkb("list").stdout
    assert dpkb("list", "--family", "ZZ").returncode == 1


def test_diff_is_the_fix_with_a_line_of_context(dpkb):
    done = dpkb("diff", "DP1")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("--- DP1/broken.py")
    assert any(line.startswith("-") and "# BUG" in line for line in lines[2:])
    assert any(line.startswith("+") and "# FIX" in line for line in lines[2:])
    assert dpkb("diff", "DP1", "--script", "fix_lazy").stdout.splitlines()[1].startswith("+++ DP1/fix_lazy")


def test_new_writes_a_skeleton_that_runs_and_is_not_yet_an_entry(dpkb, tmp_path):
    here = tmp_path / "team"
    (here / ".dpkb" / "kb").mkdir(parents=True)
    done = dpkb("new", "TM1", "some_slug", cwd=here)
    assert done.returncode == 0, done.stderr
    assert ".dpkb/kb/tm1_some_slug.md" in done.stdout
    checked = dpkb("check", cwd=here)
    assert checked.returncode == 1
    for left in ("title: must not be empty", "asked_as: needs at least", "nothing stands under 'Fix'"):
        assert left in checked.stdout
    again = dpkb("new", "TM1", "some_slug", cwd=here)
    assert again.returncode == 2 and "there already" in again.stderr


@pytest.mark.parametrize(("arguments", "says"), [
    (["tm1", "slug_x"], "is not an id"), (["TM1", "Slug"], "is not a slug"),
    (["TM1", "../../x"], "is not a slug"), (["DP1", "slug_x"], "is taken by"),
])
def test_new_refuses(dpkb, tmp_path, arguments, says):
    (tmp_path / "c" / "kb").mkdir(parents=True)
    done = dpkb("new", *arguments, "--kb", tmp_path / "c")
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.parametrize("command", [
    ["search"], ["show"], ["repro", "DP1", "--fixed", "--script", "broken"], ["verify", "--shard", "3/2"],
    ["verify", "--shard", "x"], ["repro", "DP1", "--device", "tpu"], ["nonsense"],
    ["repro", "DP1", "--python", "/nowhere/python"], ["verify", "--jobs", "-1"],
])
def test_a_usage_error_is_2_and_no_traceback(dpkb, command):
    done = dpkb(*command)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr and done.stderr.strip()


def test_the_readme_holds_the_generated_table(dpkb):
    table = dpkb("list", "--markdown", cwd=ROOT).stdout.strip()
    assert table in (ROOT / "README.md").read_text(encoding="utf-8"), "paste `dpkb list --markdown`"


def test_version(dpkb):
    assert dpkb("--version").stdout.startswith("dpkb 0.")


def test_a_family_has_an_overview(dpkb):
    done = dpkb("show", "dp")
    assert "When to suspect it" in done.stdout and "What to run first" in done.stdout
    told = json.loads(dpkb("show", "N", "--json").stdout)
    assert [entry["id"] for entry in told["entries"]] == ["N1", "N2", "N3", "N4", "N5", "N6"]


def test_every_family_has_its_page(dpkb):
    families = {entry["family"] for entry in json.loads(dpkb("list", "--json").stdout)["entries"]}
    assert families == {path.stem for path in (ROOT / "kb" / "_families").glob("*.md")}


def test_claims_have_scripts(dpkb):
    rows = json.loads(dpkb("claims", "--json").stdout)["entries"]
    assert rows and all(row["claims"] == row["scripts"] for row in rows)
