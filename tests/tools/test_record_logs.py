"""tools/record_logs.py: which logs it records, and what it removes from them."""

import json

from support import ROOT

from dpkb.catalogue.load import load
from dpkb.runner import scratch
from tools.record_logs import RECORDED_LOGS, add_logs, find_scripts_with_errors, strip_machine_paths

TRACEBACK = """Traceback (most recent call last):
  File "/home/me/dpkb/guest/fork_server.py", line 88, in run
    runpy.run_path(path)
  File "/home/me/reproducers/dp1_x/broken.py", line {line}, in <module>
    raise ValueError("no")
  File "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1, in forward
ValueError: no such file {folder}data.pt
"""


def report_of(line, torch="2.4.1", outcome="raised", script="broken"):
    """What `dpkb verify --json` prints about one script of DP1."""
    stderr = TRACEBACK.format(line=line, folder="/tmp/")
    return {
        "environment": {"torch": torch, "python": "3.12.1"},
        "results": [{"id": "DP1", "script": script, "outcome": outcome, "stderr": stderr}],
    }


def test_a_text_is_recorded_without_the_folders_of_the_machine_and_the_frames_of_the_runner():
    for folder in (
        f"/tmp/{scratch.PREFIX}ab_12x/",
        f"/tmp/{scratch.PREFIX}ab_12x/w/",
        f"/somewhere/else/{scratch.PREFIX}ab_12x/w/",
    ):
        text = strip_machine_paths(TRACEBACK.format(line=7, folder=folder))
        assert (
            text
            == """Traceback (most recent call last):
  File "…/reproducers/dp1_x/broken.py", line 7, in <module>
    raise ValueError("no")
  File "…/site-packages/torch/nn/modules/module.py", line 1, in forward
ValueError: no such file /tmp/data.pt
"""
        )


def test_a_dump_of_stacks_is_recorded_without_the_frame_of_the_runner():
    dump = 'Thread 0x1:\n  File "/home/me/reproducers/dp15_x/broken.py", line 47 in <module>\n'
    runner = '  File "/home/me/dpkb/guest/fork_server.py", line 213 in <module>\n'
    assert strip_machine_paths(dump + runner) == dump.replace("/home/me/", "…/")
    cached = "/home/me/.cache/uv/archive-v0/3Kh-gj/torch/spawn.py:1] /home/me/.cache/dpkb/environments/torch-1.8.1/bin/x"
    assert strip_machine_paths(cached) == "…/torch/spawn.py:1] …/bin/x"


def test_the_prefix_is_that_of_the_scratch_folders():
    with scratch.scratch_folder() as folder:
        assert strip_machine_paths(f"in {folder}/w/data.pt") == "in /tmp/data.pt"


def test_no_recorded_text_names_a_scratch_folder():
    text = RECORDED_LOGS.read_text(encoding="utf-8")
    assert len(json.loads(text)) > 100 and scratch.PREFIX not in text


def test_logs_that_differ_in_numbers_alone_are_recorded_once_with_all_their_versions():
    logs = {}
    for line, torch in ((7, "2.4.1"), (9, "1.8.1")):
        assert add_logs(report_of(line, torch), logs, {"DP1/broken"}) == 1
    [log] = logs["DP1/broken"]
    assert "line 7" in log["text"]
    assert log["versions"] == ["torch 1.8.1, Python 3.12.1", "torch 2.4.1, Python 3.12.1"]


def test_a_newer_log_of_the_same_version_replaces_the_older():
    logs = {"DP1/broken": [{"text": "KeyError: 1", "versions": ["torch 2.4.1, Python 3.12.1"]}]}
    add_logs(report_of(7), logs, {"DP1/broken"})
    assert [log["text"].splitlines()[-1] for log in logs["DP1/broken"]] == [
        "ValueError: no such file /tmp/data.pt"
    ]


def test_only_scripts_that_print_an_error_are_recorded():
    logs = {}
    assert add_logs(report_of(7, outcome="wrong result"), logs, {"DP1/broken"}) == 0
    assert add_logs(report_of(7, script="other"), logs, {"DP1/broken"}) == 0
    assert logs == {}


def test_scripts_that_print_an_error_are_found():
    scripts = find_scripts_with_errors(load([ROOT]))
    assert "O20/broken" in scripts  # raises
    assert not {"O20/fixed", "DP1/broken"} & scripts  # healthy; a wrong result
