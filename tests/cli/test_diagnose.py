"""dpkb diagnose: what it prints, and what it returns."""

import bz2
import gzip
import json
import lzma
import random

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


@pytest.mark.parametrize("text", [b"", b"\n", bytes(3_000_000)])
def test_a_log_without_text_is_said_to_have_none(dpkb_in_process, tmp_path, text):
    (tmp_path / "zero.log").write_bytes(text)
    done = dpkb_in_process("diagnose", "zero.log", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout.startswith("No entry of the catalogue explains this log.")
    assert done.stderr == (
        ""
        if text == b"\n"
        else "dpkb: zero.log has no text. To write the errors into the log too: COMMAND > train.log 2>&1\n"
    )


LOG = (BUS + "\n").encode()
LONG = b"step 1 loss 0.5\n" * 2_000_000


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (gzip.compress(LOG), "line 1: RuntimeError"),
        (gzip.compress(LONG + LOG), "line 2000001: RuntimeError"),
        (
            gzip.compress(b"one\n") + gzip.compress(b"") + gzip.compress(LOG) + bytes(100),
            "line 2: RuntimeError",
        ),
        (gzip.compress(LOG + random.Random(0).randbytes(5000))[:-2000], "line 1: RuntimeError"),
        (gzip.compress(LOG) + b"no gzip", "dpkb: the gzip'ed log is damaged: "),
        (bz2.compress(LOG), "dpkb: the log is compressed: decompress it first"),
        (lzma.compress(LOG), "dpkb: the log is compressed: decompress it first"),
    ],
    ids=["whole", "long", "three in one", "cut", "damaged", "bzip2", "xz"],
)
def test_a_compressed_log_is_read_or_refused(dpkb_in_process, tmp_path, content, says):
    (tmp_path / "train.log").write_bytes(content)
    done = dpkb_in_process("diagnose", "train.log", cwd=tmp_path)
    if says.startswith("dpkb:"):
        assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(says)
    else:
        assert done.returncode == 0 and done.stdout.startswith("DP15 ") and says in done.stdout


def test_a_check_names_its_own_entry(dpkb_in_process, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("RuntimeError: Early stopping conditioned on metric `val_loss` which is not available.\n")
    shown = " ".join(dpkb_in_process("diagnose", path).stdout.split())
    # On its page the check ends with "it is this entry".
    assert "a monitored metric of Lightning, it is H2." in shown and "this entry" not in shown
