"""What each tool answers, without a server and its protocol."""

import json
import os
import threading

import pytest
from support import ROOT, write_catalogue
from support.lint_file import LIST_OF_LAYERS

from dpkb.errors import DpkbError, Stopped, UnknownName, UnmetNeed, UsageError
from dpkb.mcp.tools import Tools, join_last_lines

BUS_ERROR = "RuntimeError: DataLoader worker (pid 3) is killed by signal: Bus error."
GO_ON = threading.Event()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project, and something beside it that is none of the tools' business."""
    here = tmp_path.resolve() / "project"
    here.mkdir()
    (tmp_path / "outside.log").write_text(BUS_ERROR)
    (here / "net.py").write_text(LIST_OF_LAYERS)
    (here / "train.log").write_text(BUS_ERROR)
    (here / "away.log").symlink_to(tmp_path / "outside.log")
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def tools(folder):
    """The tools of a server for the folder, which is the current one."""
    return Tools()


def document(text):
    return json.loads(text)


@pytest.mark.parametrize("name", ["../outside.log", "away.log", "/etc/hostname", "net.py/../../outside.log"])
def test_no_path_leads_out_of_the_folder(tools, name):
    with pytest.raises(UsageError, match="is outside of"):
        tools.diagnose(GO_ON, None, name, 0, 10)


@pytest.mark.parametrize("name", ["a\0b", "loop"])
def test_a_path_that_leads_nowhere_is_refused(tools, folder, name):
    (folder / "loop").symlink_to("loop")
    # From 3.13 on Python resolves a loop, and only opening it fails.
    with pytest.raises(DpkbError, match=r"is not a valid path|Too many levels of symbolic"):
        tools.diagnose(GO_ON, None, name, 0, 10)


def test_a_path_within_the_folder_is_relative_to_it(tools, folder):
    for name in (str(folder / "net.py"), "./net.py", "."):
        (finding,) = document(tools.lint(GO_ON, [name], False, 0, 10))["findings"]
        assert finding["where"]["file"] == "net.py"


def test_a_log_is_given_as_text_or_as_a_path(tools):
    by_text, by_path = (
        tools.diagnose(GO_ON, *log, 0, 10) for log in ((BUS_ERROR, None), (None, "train.log"))
    )
    assert by_text == by_path and document(by_text)["matches"][0]["id"] == "DP15"
    assert document(tools.diagnose(GO_ON, "", None, 0, 10))["matches"] == []
    for both in ((None, None), (BUS_ERROR, "train.log")):
        with pytest.raises(UsageError, match="either"):
            tools.diagnose(GO_ON, *both, 0, 10)


def test_the_stacks_of_a_process_are_taken_only_where_programs_may_run(tools):
    with pytest.raises(UnmetNeed, match=r"dpkb diagnose --pid 7"):
        tools.diagnose(GO_ON, None, None, 0, 10, 7)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_path_that_is_not_a_log_is_refused_without_waiting(tools, folder):
    os.mkfifo(folder / "pipe")
    for name, why in (("pipe", "not a regular file"), ("missing", "No such file")):
        with pytest.raises(DpkbError, match=f"{name}: cannot be read: .*{why}"):
            tools.diagnose(GO_ON, None, name, 0, 10)


def test_the_logs_of_a_folder_are_read_together_and_a_link_outside_is_refused(tools, folder):
    answer = document(tools.diagnose(GO_ON, None, ".", 0, 10))
    assert answer["matches"][0]["where"] == {"line": 1, "file": "train.log", "rank": "train.log"}
    assert "is outside of" in answer["unreadable"]["away.log"]
    (folder / "empty").mkdir()
    with pytest.raises(DpkbError, match="empty holds no log"):
        tools.diagnose(GO_ON, None, "empty", 0, 10)


def test_a_cancelled_call_ends_while_it_reads(tools):
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        tools.diagnose(stop, None, "train.log", 0, 10)
    with pytest.raises(Stopped):
        tools.lint(stop, [], False, 0, 10)


def test_lint_reads_the_folder_and_its_settings(tools, folder):
    answer = document(tools.lint(GO_ON, [], False, 0, 10))
    assert [(f["id"], f["where"]["file"]) for f in answer["findings"]] == [("N3", "net.py")]
    (folder / "pyproject.toml").write_text("[tool.dpkb.lint]\nignore = ['N3']\n")
    assert document(tools.lint(GO_ON, ["net.py"], True, 0, 10))["findings"] == []


def test_lint_reads_the_settings_of_each_path(tools, folder):
    (folder / "inner").mkdir()
    (folder / "inner" / "net.py").write_text(LIST_OF_LAYERS)
    (folder / "inner" / "pyproject.toml").write_text("[tool.dpkb.lint]\nignore = ['N3']\n")
    for paths in (["net.py", "inner"], ["inner", "net.py"]):
        answer = document(tools.lint(GO_ON, paths, False, 0, 10))
        assert [f["where"]["file"] for f in answer["findings"]] == ["net.py"] and answer["files"] == 2


def test_lint_names_a_link_to_a_file_outside(tools, folder):
    (folder.parent / "other.py").write_text(LIST_OF_LAYERS)
    (folder / "other.py").symlink_to(folder.parent / "other.py")
    answer = document(tools.lint(GO_ON, ["."], False, 0, 10))
    assert [f["where"]["file"] for f in answer["findings"]] == ["net.py"]
    assert "outside of" in answer["unreadable"]["other.py"] and answer["files"] == 1


def test_lint_does_not_walk_through_a_link_to_a_folder_outside(tools, folder):
    (folder.parent / "private").mkdir()
    (folder.parent / "private" / "names.py").write_text(LIST_OF_LAYERS)
    (folder / "away").symlink_to(folder.parent / "private")
    answer = document(tools.lint(GO_ON, [], False, 0, 10))
    assert list(answer["unreadable"]) == ["away"] and "outside of" in answer["unreadable"]["away"]
    assert "names.py" not in json.dumps(answer)


@pytest.mark.parametrize("is_link", [False, True])
def test_lint_reads_no_settings_outside_of_the_folder(tools, folder, is_link):
    settings = folder.parent / "pyproject.toml"
    settings.write_text("[tool.dpkb.lint]\nignore = ['SECRET']\n")
    if is_link:
        (folder / "pyproject.toml").symlink_to(settings)
    assert len(document(tools.lint(GO_ON, [], False, 0, 10))["findings"]) == 1


def test_a_cancelled_lint_ends_while_it_looks_for_files(tools, folder, monkeypatch):
    stop, walk = threading.Event(), os.walk

    def cancel_in_the_first_folder(*arguments, **more):
        for step in walk(*arguments, **more):
            assert not stop.is_set(), "the walk goes on"
            stop.set()
            yield step

    (folder / "deep").mkdir()
    monkeypatch.setattr(os, "walk", cancel_in_the_first_folder)
    with pytest.raises(Stopped):
        tools.lint(stop, [], False, 0, 10)


def test_show_returns_one_section_the_answer_or_all_sections(tools):
    brief = document(tools.show("dp15", "In short", 0, 10))
    whole = document(tools.show("DP15", "all", 0, 10))
    assert list(brief["sections"]) == ["In short"] and brief["scripts"] == list(whole["scripts"])
    assert {*brief["sections"], *brief["other_sections"]} == set(whole["sections"])
    assert document(tools.show("DP15", "FIX", 0, 10))["sections"] == {"Fix": whole["sections"]["Fix"]}
    with pytest.raises(UsageError, match=r"DP15 has no section 'cause'\. It has In short, "):
        tools.show("DP15", "cause", 0, 10)
    with pytest.raises(UnknownName, match="DP15"):
        tools.show("DP51", "all", 0, 10)


def test_show_returns_a_family_for_its_letters(tools):
    answer = document(tools.show("n", "In short", 0, 2))
    assert answer["family"] == "N" and [entry["id"] for entry in answer["entries"]] == ["N1", "N2"]


def test_the_matrix_can_be_limited_to_some_entries(tools):
    assert list(document(tools.matrix(["dp7", "DP1"], 0, 10))["entries"]) == ["DP7", "DP1"]
    with pytest.raises(UnknownName, match="no entry 'ZZ9'"):
        tools.matrix(["DP7", "ZZ9"], 0, 10)


def test_entries_are_listed_and_their_pages_read(tools):
    page = next((ROOT / "kb").glob("dp1_*.md")).read_text(encoding="utf-8")
    assert tools.read_entry("dp1") == page
    known = {entry_id: title for entry_id, title, _ in tools.list_entries()}
    assert known["DP1"] in page


@pytest.mark.parametrize(
    ("run", "instead"),
    [
        (lambda tools: tools.audit(GO_ON, ["touch", "ran"], 0, 60, []), "dpkb audit -- touch ran"),
        (
            lambda tools: tools.audit(GO_ON, ["python", "-c", "a(1); $(b)"], 0, 60, []),
            "dpkb audit -- python -c 'a(1); $(b)'",
        ),
        (lambda tools: tools.reproduce(GO_ON, "DP7", "fixed.py"), "dpkb repro DP7 --script fixed"),
    ],
)
def test_nothing_runs_unless_the_user_allows_it(tools, folder, run, instead):
    with pytest.raises(UnmetNeed, match="--allow-running") as refused:
        run(tools)
    assert str(refused.value).endswith(instead) and not (folder / "ran").exists()


def test_a_catalogue_that_is_not_trusted_runs_nothing(folder):
    added = write_catalogue(folder / "added", broken=f"open({str(folder / 'ran')!r}, 'w')")
    with pytest.raises(UnmetNeed, match="--trust"):
        Tools((added,), allow_running=True).reproduce(GO_ON, "ZZ1", "broken")
    assert not (folder / "ran").exists()


def test_the_end_of_an_audit_without_a_report_is_safe_and_short():
    assert join_last_lines("1\n2\n3\n4\n5\n\x1b[31m6\n") == "2 3 4 5 \\x1b[31m6"
    assert len(join_last_lines("x" * 5000)) == 1000 and join_last_lines(" \n") == "the command wrote nothing"
