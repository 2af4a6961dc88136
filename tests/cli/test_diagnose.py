"""dpkb diagnose: what it prints, and what it returns."""

import json

import pytest

BUS = (
    "RuntimeError: DataLoader worker (pid 71) is killed by signal: Bus error. It is possible that "
    "dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
)


def test_the_json_of_a_diagnosis(dpkb_in_process, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(f"{BUS}\n")
    done = dpkb_in_process("diagnose", path, "--json")
    assert done.returncode == 0 and not done.stderr
    assert json.loads(done.stdout)["matches"][0]["id"] == "DP15"
    path.write_text("Epoch 1 loss 0.3\n")
    done = dpkb_in_process("diagnose", path, "--json")
    assert done.returncode == 1 and not done.stderr and json.loads(done.stdout)["matches"] == []


def test_a_diagnosis_is_printed_with_its_evidence(dpkb_in_process, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(f"{BUS}\n")
    done = dpkb_in_process("diagnose", path)
    assert done.stdout.startswith("DP15 ")
    assert "line 1: RuntimeError: DataLoader worker" in done.stdout
    assert "Which of these is it?" in done.stdout and "dpkb show DP15" in done.stdout
    done = dpkb_in_process("diagnose", tmp_path / "absent")
    assert done.returncode == 2 and "absent: cannot be read" in done.stderr
    assert "Traceback" not in done.stderr and not done.stdout


@pytest.mark.parametrize("text", ["", "\n"])
def test_only_an_empty_log_is_called_empty(dpkb_in_process, tmp_path, text):
    (tmp_path / "zero.log").write_text(text)
    done = dpkb_in_process("diagnose", "zero.log", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout.startswith("No entry of the catalogue explains this log.")
    assert done.stderr == (
        ""
        if text
        else "dpkb: zero.log is empty. To write the errors into the log too: COMMAND > train.log 2>&1\n"
    )


def test_a_check_names_its_own_entry(dpkb_in_process, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("RuntimeError: Early stopping conditioned on metric `val_loss` which is not available.\n")
    shown = " ".join(dpkb_in_process("diagnose", path).stdout.split())
    # On its page the check ends with "it is this entry".
    assert "a monitored metric of Lightning, it is H2." in shown and "this entry" not in shown
