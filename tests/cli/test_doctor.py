"""dpkb doctor as a command: its options, what it prints, and its exit code."""

import json

MB = 1 << 20
# So little in a batch that /dev/shm has room for it also in a container, where Docker's default is 64 MB.
LOADER = {
    "file": "train.py",
    "line": 3,
    "rank": 0,
    "workers": 8,
    "prefetch": 2,
    "batch_bytes": 1000,
    "batch_tensors": 2,
    "worker_bytes": 300 * MB,
}


def test_a_likely_failure_is_named_and_returns_1(dpkb_in_process):
    done = dpkb_in_process("doctor", "--workers", "100000", "--batch-mb", "100")
    assert done.returncode == 1 and "LIKELY DP15" in done.stdout and "more: dpkb show DP15" in done.stdout


def test_json_has_the_advice(dpkb_in_process):
    done = dpkb_in_process("doctor", "--json")
    assert {line["id"] for line in json.loads(done.stdout)["advice"]} >= {"U9", "T8"}


def test_an_option_overrides_the_number_of_an_audit(dpkb_in_process, tmp_path):
    report = tmp_path / "audit.json"
    report.write_text(json.dumps({"loaders": [LOADER]}))
    done = dpkb_in_process("doctor", "--audit", report, "--worker-mb", "99999999", "--json")
    answer = json.loads(done.stdout)
    assert answer["plan"]["workers"] == 8 and answer["plan"]["worker_bytes"] == 99999999 * MB
    assert done.returncode == 1 and [line["id"] for line in answer["advice"] if line["likely"]] == ["U9"]


def test_a_file_that_is_not_a_report_is_refused(dpkb_in_process, tmp_path):
    report = tmp_path / "audit.json"
    report.write_text("{}")
    done = dpkb_in_process("doctor", "--audit", report)
    assert done.returncode == 2 and "not a report" in done.stderr
