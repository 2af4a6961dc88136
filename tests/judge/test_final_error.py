"""Which words on stderr are the error that ended a script, and which are not."""

import json

import pytest
from support import ROOT

from dpkb.catalogue.load import load
from dpkb.judge.final_error import read_final_error, summarize_error
from dpkb.model import Outcome
from dpkb.patterns import matching

HEAD = "Traceback (most recent call last):\n"
OWN = HEAD + '  File "/tmp/broken.py", line 9, in <module>\n    work()\n'
CHILDS = HEAD + '  File "/usr/lib/multiprocessing/process.py", line 314, in _bootstrap\n    self.run()\n'
DURING = "\nDuring handling of the above exception, another exception occurred:\n\n"
CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"
SPAWNED = "torch.ProcessRaisedException: \n\n-- Process 1 terminated with the following error:\n"
WRAP = HEAD + '  File "/torch/multiprocessing/spawn.py", line 90, in _wrap\n    fn(i, *args)\n'
WORKER = (
    "RuntimeError: Caught RuntimeError in DataLoader worker process 0.\nOriginal "
    + HEAD
    + '  File "/torch/utils/data/_utils/worker.py", line 309, in _loop\n    data = fetch(index)\n'
)
GONE = "RuntimeError: DataLoader worker (pid(s) 4) exited unexpectedly\n"


@pytest.mark.parametrize(
    ("stderr", "message"),
    [
        (OWN + "ValueError: no\n", ["ValueError: no"]),
        (OWN + "ValueError: two\n  lines\n\nof it\n", ["ValueError: two", "  lines", "of it"]),
        (OWN + "KeyboardInterrupt", ["KeyboardInterrupt"]),
        # Python 3.13 marks the line of a frame that it cannot quote.
        (OWN.replace(HEAD, HEAD + "    ~~~~^^^^\n") + "ValueError: no\n", ["ValueError: no"]),
        ("ERROR: bus error in worker.\0" + OWN + "ValueError: no\n", ["ValueError: no"]),
        # The right words elsewhere: in a warning, a replaced error, a child or a thread.
        (
            "/tmp/broken.py:3: UserWarning: right words\n  warn()\n" + OWN + "ValueError: no\n",
            ["ValueError: no"],
        ),
        (
            OWN + "ValueError: no\n/usr/lib/python3.11/x.py:254: UserWarning: right words\n",
            ["ValueError: no"],
        ),
        (OWN + "ValueError: right words\n" + DURING + OWN + "NameError: no\n", ["NameError: no"]),
        (OWN + "ValueError: right words\n" + CAUSED + OWN + "NameError: no\n", ["NameError: no"]),
        ("Process P-1:\n" + CHILDS + "ValueError: right words\n", []),
        (
            "Process P-1:\n" + CHILDS + "ValueError: right words\n" + OWN + "NameError: no\n",
            ["NameError: no"],
        ),
        (OWN + "NameError: no\nProcess P-1:\n" + CHILDS + "ValueError: right words\n", ["NameError: no"]),
        (OWN + "NameError: no\nException in thread T:\n" + CHILDS + "ValueError: right\n", ["NameError: no"]),
        (
            OWN + "NameError: no\nException ignored in: <f>\n" + CHILDS + "ValueError: right\n",
            ["NameError: no"],
        ),
        (OWN + "NameError: no\n[W1122 11:20 socket.cpp:1] right words\n", ["NameError: no"]),
        (HEAD + '  File "<string>", line 1, in <module>\nValueError: right words\n', []),
        ("just words\n", []),
        ("", []),
    ],
)
def test_the_last_exception_of_the_script_counts(stderr, message):
    assert read_final_error(stderr) == message


def test_the_error_of_a_process_with_a_process_group_is_read_without_its_rank():
    stderr = (
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/x/broken_nccl.py", line 20, in <module>\n'
        "[rank0]:     dist.all_reduce(ones)\n"
        "[rank0]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3135\n"
        "[rank0]: Last error:\n"
        "[rank0]: Bootstrap : no socket interface found\n"
        "[rank0]:[W1127 06:49:31.5 ProcessGroupNCCL.cpp:1575] Warning: WARNING"
    )
    assert read_final_error(stderr) == [
        "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3135",
        "Last error:",
        "Bootstrap : no socket interface found",
    ]


@pytest.mark.parametrize(
    ("stderr", "last"),
    [
        (OWN + SPAWNED + WRAP + "ValueError: right words\n", "ValueError: right words"),
        (
            OWN + SPAWNED + WRAP + "KeyError: no\n" + DURING + WRAP + "ValueError: right words\n",
            "ValueError: right words",
        ),
        (OWN + WORKER + "ValueError: right words\n\n", "ValueError: right words"),
        ("Process P-1:\n" + CHILDS + "ValueError: right words\n" + OWN + GONE, GONE.strip()),
    ],
)
def test_the_error_of_a_child_that_torch_raises_again_counts(stderr, last):
    lines = read_final_error(stderr)
    assert "ValueError: right words" in lines and lines[-1] == last
    assert "KeyError: no" not in lines and not any("fn(i" in line or "fetch(" in line for line in lines)


def test_the_summary_is_the_innermost_error():
    assert summarize_error(read_final_error(OWN + WORKER + "ValueError: two\nlines\n")) == "ValueError: two"
    assert summarize_error(["strange.name", "more"]) == "strange.name"
    assert summarize_error([]) == "a traceback"


def test_recorded_failures_are_judged_as_before():
    """A recorded message that any line of stderr used to confirm is also in the final exception."""
    catalogue, judged = load([ROOT]), 0
    recorded = json.loads((ROOT / "tests/diagnosis/recorded_logs.json").read_text(encoding="utf-8"))
    for key, logs in recorded.items():
        entry_id, name = key.split("/")
        script = catalogue.find_entry(entry_id).find_script(name) if entry_id in catalogue.entries else None
        if script is None or script.shows is not Outcome.RAISED:
            continue
        wanted = [pattern.match for pattern in script.patterns]
        for log in logs:
            if "Traceback (most recent call last)" not in log["text"]:
                continue  # so long that its beginning was cut off
            anywhere = [line for line in log["text"].splitlines() if not line.startswith("  ")]
            if _matches(wanted, anywhere):
                judged += 1
                assert _matches(wanted, read_final_error(log["text"])), key
    assert judged > 300


def _matches(wanted, lines):
    return any(matching.has_match(pattern, line) for pattern in wanted for line in lines)
