"""dpkb repro over small catalogues: what it prints and which code it returns."""

import json

from support import SKIPPING, write_catalogue
from support.results import ENVIRONMENT_KEYS, RESULT_KEYS

from dpkb.errors import Stopped
from dpkb.runner import verify


def test_json_has_the_result_and_the_environment(dpkb_in_process, catalogue):
    report = json.loads(dpkb_in_process("repro", "ZZ1", "--kb", catalogue(), "--trust", "--json").stdout)
    assert set(report) == {"version", "environment"} | RESULT_KEYS
    assert set(report["environment"]) == ENVIRONMENT_KEYS


def test_a_skipped_failure_returns_1(dpkb_in_process, catalogue):
    done = dpkb_in_process("repro", "ZZ1", "--trust", "--kb", catalogue(broken=SKIPPING))
    assert done.returncode == 1 and "a moon" in done.stdout
    assert "To run it, use a machine or a Python that has it: dpkb repro ZZ1 --python PATH" in done.stdout


def test_the_nearest_team_folder_is_added(dpkb_in_process, tmp_path):
    project = tmp_path / "project"
    write_catalogue(project / ".dpkb", entry_id="TM1")
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    assert "TM1" in dpkb_in_process("list", cwd=below).stdout
    assert dpkb_in_process("repro", "TM1", "--trust", cwd=below).returncode == 0
    assert "TM1" not in dpkb_in_process("list", cwd=tmp_path).stdout


def test_the_last_line_of_a_script_that_is_stopped_is_printed(dpkb_in_process, catalogue, monkeypatch):
    def stop_in_the_middle_of_a_line(script, session, on_output):
        on_output("stdout", b"waiting for rank 1")
        raise Stopped

    monkeypatch.setattr(verify, "reproduce", stop_in_the_middle_of_a_line)
    done = dpkb_in_process("repro", "ZZ1", "--trust", "--kb", catalogue())
    assert done.returncode == 130 and done.stdout.endswith("│ waiting for rank 1\n")


def test_cuda_is_refused_where_there_is_no_gpu(dpkb_in_process):
    done = dpkb_in_process("repro", "DP1", "--device", "cuda", env={"CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 2
    assert "sees no GPU" in done.stderr


def test_the_grid_of_a_silent_failure_is_printed(dpkb_in_process, catalogue):
    broken = """
    import json, sys
    print("OBSERVED", json.dumps({"healthy": False, "crop_by_worker_and_epoch": [[7, 7], [7, 9]],
                                  "steps_by_rank": [5, 7], "note": "\\x1b[31mred"}))
    sys.exit(1)
    """
    done = dpkb_in_process("repro", "ZZ1", "--trust", "--kb", catalogue(broken=broken))
    assert "worker 1" in done.stdout and "epoch 1" in done.stdout and "rank 0" in done.stdout
    assert done.stdout.count("7 [a]") == 3
    assert "9 [" not in done.stdout and "\x1b" not in done.stdout
