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
    assert "Check: run `df -h /dev/shm`" in done.stdout and "dpkb show DP15" in done.stdout
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
        (gzip.compress(LOG) + b"no gzip", "dpkb: train.log: the gzip'ed log is damaged: "),
        (bz2.compress(LOG), "dpkb: train.log: the log is compressed: decompress it first"),
        (lzma.compress(LOG), "dpkb: train.log: the log is compressed: decompress it first"),
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


def test_a_folder_with_files_that_cannot_be_read(dpkb_in_process, tmp_path):
    (tmp_path / "rank0.log").write_text(f"{BUS}\n")
    (tmp_path / "rank1.log").write_bytes(lzma.compress(b"x"))
    (tmp_path / "rank2.log").write_bytes(random.Random(0).randbytes(5000))
    (tmp_path / "rank3.log").symlink_to("nowhere")
    done = dpkb_in_process("diagnose", tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("DP15 ")
    assert done.stderr == (
        f"dpkb: {tmp_path}/rank1.log: the log is compressed: decompress it first (and 2 more); "
        "read: 1 of 4 logs\n"
    )
    unreadable = json.loads(dpkb_in_process("diagnose", tmp_path, "--json").stdout)["unreadable"]
    assert unreadable[f"{tmp_path}/rank2.log"] == "is not text, so it is no log"
    assert "No such file" in unreadable[f"{tmp_path}/rank3.log"]
    done = dpkb_in_process("diagnose", tmp_path / "rank2.log")
    assert (done.returncode, done.stdout) == (2, "") and "rank2.log: is not text" in done.stderr
    (tmp_path / "empty").mkdir()
    done = dpkb_in_process("diagnose", tmp_path / "empty")
    assert done.returncode == 2 and "empty holds no log" in done.stderr


def test_a_message_of_the_hardware_is_no_entry_and_asks_for_no_run_on_the_cpu(dpkb_in_process, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("[rank6]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n")
    done = dpkb_in_process("diagnose", path)
    assert done.returncode == 1 and "This is about hardware (not reproduced by dpkb)" in done.stdout
    assert "on the CPU" not in done.stdout
    answer = json.loads(dpkb_in_process("diagnose", path, "--json").stdout)
    assert answer["signpost"]["kind"] == "hardware" and answer["next"] is None
