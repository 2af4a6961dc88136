"""The exit code of every command, for each way in which it can end."""

import errno
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import SEARCH, write_catalogue
from support.lint_file import LIST_OF_LAYERS
from support.small_dpkb import small_dpkb

from dpkb.errors import Stopped

YES, NO, CANNOT_ASK, BUG, CANNOT_WRITE, INTERRUPTED, READER_GONE = 0, 1, 2, 3, 74, 130, 141
SIGNED = SEARCH.replace("signatures: []", "signatures: [{match: 'it went bang'}]")
TOO_LONG = "a" * 5000


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with valid and invalid inputs of every kind. The catalogue `own` is in place of dpkb's own."""
    own = write_catalogue(tmp_path / "own", search=SIGNED, symptom="The log has: it went bang")
    monkeypatch.setattr("dpkb.paths.find_built_in_catalogue", lambda: own)
    monkeypatch.setattr("dpkb.cli.app.find_built_in_catalogue", lambda: own)
    for name, entry_id in (
        ("good", "ZZ2"),
        ("wrong", "ZZ3"),
        ("bad_script", "ZZ4"),
        ("bad_evidence", "ZZ5"),
        ("bad_entry", "ZZ7"),
        ("full", "ZZ8"),
    ):
        write_catalogue(tmp_path / name, entry_id=entry_id)
    scripts = tmp_path / "wrong/reproducers/zz3_made"
    (scripts / "broken.py").write_text((scripts / "fixed.py").read_text().replace("FIX", "BUG"))
    script = tmp_path / "bad_script/reproducers/zz4_made/broken.py"
    script.unlink()
    script.mkdir()
    (tmp_path / "bad_evidence/evidence").mkdir()
    (tmp_path / "bad_evidence/evidence/2.4.1-3.11.7-linux-cpu.json").write_text("{")
    (tmp_path / "bad_entry/kb/zz7_made.md").write_text("---\nid: ZZ7\n---\n")
    (tmp_path / "full/evidence").write_text("a file where a folder has to be")
    (tmp_path / "no_reproducers/kb").mkdir(parents=True)
    (tmp_path / "no_reproducers/reproducers").write_text("a file where a folder has to be")
    (tmp_path / "no_catalogue").mkdir()
    (tmp_path / "log").write_text("it went bang\n")
    (tmp_path / "other_log").write_text("all is well\n")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "right.py").write_text("import torch\n")
    (tmp_path / "faulty.py").write_text(LIST_OF_LAYERS)
    (tmp_path / "empty").mkdir()
    return tmp_path


ANSWERS = [
    ("search failure made for a test", YES),
    ("search zzzqqq", NO),
    ("diagnose log", YES),
    ("diagnose other_log", NO),
    ("diagnose /dev/null", NO),
    ("lint right.py", YES),
    ("lint faulty.py", NO),
    ("lint --diff --unsafe-fixes faulty.py", NO),
    ("skill", YES),
    ("show ZZ1", YES),
    ("show ZZ5 --kb bad_evidence", YES),
    ("list", YES),
    ("list --kind silent", YES),
    ("list --kind hangs", NO),
    ("search failure --kind hangs", NO),
    ("list --torch 1.0", NO),
    ("diff ZZ1", YES),
    ("matrix", NO),
    ("matrix --kb bad_evidence", NO),
    ("check", YES),
    ("check --kb bad_entry", NO),
    ("new ZZ99 some_slug --kb good", YES),
    ("--version", YES),
    ("--help", YES),
]
# The words show that the command was refused for the reason that its row is about.
REFUSALS = [
    ("search", CANNOT_ASK, "Missing argument 'WORDS"),
    ("search failure --kind sielnt", CANNOT_ASK, "--kind sielnt: must be one of"),
    ("search failure --family YY", CANNOT_ASK, "--family YY: "),
    ("search failure --kb no_catalogue", CANNOT_ASK, "it has no kb/ folder"),
    ("search failure --kb loop", CANNOT_ASK, "loop is not a catalogue"),
    ("diagnose missing", CANNOT_ASK, "missing: cannot be read"),
    ("diagnose empty", CANNOT_ASK, "empty holds no log"),
    ("diagnose loop", CANNOT_ASK, "loop: cannot be read"),
    ("diagnose log/below", CANNOT_ASK, "log/below: cannot be read"),
    ("lint missing.py", CANNOT_ASK, "no such file or folder"),
    ("lint empty", CANNOT_ASK, "no Python files or notebooks in empty"),
    ("lint --select ZZ1 right.py", CANNOT_ASK, "no rule for ZZ1"),
    ("lint --format xml right.py", CANNOT_ASK, "--format xml: must be one of"),
    ("audit", CANNOT_ASK, "Missing argument '-- COMMAND"),
    ("audit --compare log -- true", CANNOT_ASK, "log: not a report"),
    ("audit --compare missing -- true", CANNOT_ASK, "missing: cannot be read: No such file"),
    ("audit --ignore ZZ9 -- true", CANNOT_ASK, "--ignore ZZ9: no entry"),
    ("audit --json -- true", CANNOT_ASK, "--json --: write a file name"),
    ("audit --json --strict -- true", CANNOT_ASK, "--json --strict: write a file name"),
    *(
        (f"{command} {number}", CANNOT_ASK, f"{command.split()[-1]}': {number} is not a number up to 1e+15")
        for number in ("nan", "inf", "1e+308")
        for command in ("doctor --batch-mb", "doctor --worker-mb", "repro ZZ1 --timeout", "run --stalled")
    ),
    ("skill --output log", CANNOT_ASK, "exists"),
    ("skill --output log/SKILL.md", CANNOT_WRITE, "log: cannot be written"),
    ("mcp --nonsense", CANNOT_ASK, "No such option: --nonsense"),
    ("run", CANNOT_ASK, "Missing argument '-- COMMAND"),
    ("show", CANNOT_ASK, "Missing argument"),
    ("show ZZ9", CANNOT_ASK, "'ZZ9'"),
    ("show ZZ7 --kb bad_entry", CANNOT_ASK, "ZZ7"),
    ("list --kind sielnt", CANNOT_ASK, "--kind sielnt: must be one of"),
    ("list --family YY", CANNOT_ASK, "--family YY: "),
    ("list --torch x", CANNOT_ASK, "--torch x: must be a version"),
    ("list --torch 2.4 --affects-me", CANNOT_ASK, "contradict each other"),
    ("diff ZZ9", CANNOT_ASK, "'ZZ9'"),
    ("diff ZZ1 --script nothing", CANNOT_ASK, "no script 'nothing'"),
    ("diff ZZ4 --kb bad_script", CANNOT_ASK, "broken.py: cannot be read"),
    ("repro ZZ2 --kb good", CANNOT_ASK, "again with --trust"),
    ("repro ZZ9", CANNOT_ASK, "'ZZ9'"),
    ("repro ZZ1 --script nothing", CANNOT_ASK, "no script 'nothing'"),
    ("repro ZZ1 --fixed --script broken", CANNOT_ASK, "--fixed and --script"),
    ("repro ZZ1 --python /nowhere/python", CANNOT_ASK, "there is no such program"),
    ("repro ZZ1 --device tpu", CANNOT_ASK, "--device tpu: must be"),
    ("repro ZZ4 --kb bad_script --trust", CANNOT_ASK, "broken.py: cannot be read"),
    ("verify ZZ9", CANNOT_ASK, "'ZZ9'"),
    ("verify ZZ1 --python /nowhere/python", CANNOT_ASK, "there is no such program"),
    ("verify ZZ1 --jobs -1", CANNOT_ASK, "-1 is not in the range"),
    ("verify ZZ4 --kb bad_script --trust", CANNOT_ASK, "broken.py: cannot be read"),
    ("check --kb no_catalogue", CANNOT_ASK, "it has no kb/ folder"),
    ("new ZZ1 some_slug --kb good", CANNOT_ASK, "ZZ1 is taken by"),
    ("new ZZ99 some_slug --kb no_reproducers", CANNOT_WRITE, "zz99_some_slug: cannot be written"),
    ("new ZZ99 Slug --kb good", CANNOT_ASK, "'Slug' is not a slug"),
    ("new ZZ99 ab --kb good", CANNOT_ASK, "write 3 to 51 small letters"),
    ("new ZZ99 2abc --kb good", CANNOT_ASK, "a letter first"),
    ("", CANNOT_ASK, "dpkb diagnose train.log"),
    ("nonsense", CANNOT_ASK, "No such command 'nonsense'"),
    ("list --nonsense", CANNOT_ASK, "No such option: --nonsense"),
    *(
        (f"{command} {TOO_LONG}", CANNOT_ASK, "this path is too long")
        for command in ("search failure --kb", "skill --output")
    ),
    (f"lint {TOO_LONG}", CANNOT_ASK, "cannot be read: File name too long"),
]


@pytest.mark.parametrize(("command", "code"), ANSWERS)
def test_each_answer_has_its_exit_code(dpkb_in_process, world, command, code):
    done = dpkb_in_process(*command.split(), cwd=world)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("command", "code", "words"), REFUSALS)
def test_each_refusal_has_its_exit_code_and_names_the_reason(dpkb_in_process, world, command, code, words):
    done = dpkb_in_process(*command.split(), cwd=world)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert words in done.stderr and "Traceback" not in done.stderr


def test_audit_says_that_json_needs_a_file_name(dpkb_in_process, world):
    done = dpkb_in_process("audit", "--json", "--", "touch", "ran", cwd=world)
    assert done.returncode == CANNOT_ASK
    assert done.stderr == "dpkb: --json --: write a file name, such as --json audit.json\n"
    assert not (world / "ran").exists() and not (world / "--").exists()


def test_a_file_that_lint_cannot_rewrite_is_named(dpkb_in_process, world, monkeypatch):
    def refuse(path, data):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    done = dpkb_in_process("lint", "--fix", "--unsafe-fixes", "faulty.py", cwd=world)
    assert done.returncode == CANNOT_WRITE and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "dpkb: faulty.py: cannot be written: Permission denied"


# -- unexpected errors ------------------------------------------------------------------------------

LOADS = [
    "list",
    "show ZZ1",
    "diff ZZ1",
    "diagnose log",
    "matrix",
    "check",
    "verify ZZ1",
    "repro ZZ1",
    "lint --json right.py",
    "new ZZ99 some_slug --kb good",
    "search failure",
]


def fail_with(monkeypatch, error):
    """Make every command that reads the catalogue fail in the middle of it."""

    def fail(*_):
        raise error

    monkeypatch.setattr("dpkb.catalogue.load.load", fail)
    monkeypatch.setattr("dpkb.search.store.search", fail)


@pytest.mark.parametrize("command", LOADS)
@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        AttributeError("no"),
        RecursionError("no"),
        OSError(errno.EIO, "Input/output", "x"),
        BrokenPipeError(errno.EPIPE, "Broken pipe"),
        FileNotFoundError(errno.ENOENT, "No such file", "/x/y"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_unexpected_error_is_reported_as_a_bug(dpkb_in_process, world, monkeypatch, command, error):
    fail_with(monkeypatch, error)
    done = dpkb_in_process(*command.split(), cwd=world)
    assert done.returncode == BUG, done.stderr
    assert "Traceback" in done.stderr and type(error).__name__ in done.stderr
    assert done.stderr.rstrip().endswith("Please report the lines above.")


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), INTERRUPTED, ""),
        (Stopped(), INTERRUPTED, "nothing is left running"),
        (OSError(errno.ENOSPC, "No space left on device", "/x"), CANNOT_WRITE, "/x: No space left on device"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory found"), CANNOT_ASK, "TMPDIR=DIR"),
        (PermissionError(errno.EACCES, "Permission denied", "CACHE/x"), CANNOT_WRITE, "DPKB_CACHE_DIR=DIR"),
    ],
    ids=str,
)
def test_an_error_of_the_machine_is_not_a_bug(dpkb_in_process, world, monkeypatch, error, code, words):
    if isinstance(error, PermissionError):
        error.filename = error.filename.replace("CACHE", os.environ["DPKB_CACHE_DIR"])
    fail_with(monkeypatch, error)
    done = dpkb_in_process("list", cwd=world)
    assert done.returncode == code, done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr


def test_a_folder_beside_the_cache_is_none_of_dpkb(dpkb_in_process, world, monkeypatch):
    fail_with(
        monkeypatch,
        PermissionError(errno.EACCES, "Permission denied", os.environ["DPKB_CACHE_DIR"] + "-of-another/x"),
    )
    done = dpkb_in_process("list", cwd=world)
    assert done.returncode == BUG and "DPKB_CACHE_DIR=DIR" not in done.stderr


# -- real runs, streams and signals: real processes -------------------------------------------------


def run_small_dpkb(command, folder):
    """Run dpkb with the catalogue `own` as a real process."""
    return subprocess.run(
        [*small_dpkb(folder / "own"), *shlex.split(command)],
        cwd=folder,
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("repro ZZ2 --kb good --trust", YES),
        ("repro ZZ3 --kb wrong --trust", NO),
        ("verify ZZ2 --kb good --trust --cold", YES),
        ("verify ZZ3 --kb wrong --trust --cold", NO),
        ("verify ZZ2 --kb good --cold", NO),
        ("verify ZZ2 --kb good --trust --cold --record", YES),
    ],
)
def test_repro_and_verify_return_whether_the_claims_are_confirmed(world, command, code):
    done = run_small_dpkb(command, world)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("run -- true", 0),
        ("run -- sh -c 'exit 3'", 3),
        ("run -- sh -c 'exit 74'", 74),
        ("run --kb good -- sh -c 'rm -r good; exit 7'", 7),
        ("run -- no-such-command", 127),
        ("run -- ./log", 126),
        ("audit -- true", 0),
        ("audit -- sh -c 'exit 3'", 3),
        ("audit --strict -- true", CANNOT_ASK),
        ("audit --strict -- sh -c 'exit 3'", 3),
        ("audit --kb good -- sh -c 'rm -r good; exit 7'", 7),
        ("audit -- no-such-command", 127),
    ],
)
def test_run_and_audit_return_the_code_of_the_command(world, command, code):
    done = run_small_dpkb(command, world)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("subcommand", ["run", "audit"])
def test_where_dpkb_cannot_end_by_a_signal_it_returns_the_code_of_a_shell(
    dpkb_in_process, world, monkeypatch, subcommand
):
    # As process 1 of a container, to which the kernel delivers none of its own signals.
    monkeypatch.setattr("dpkb.cli.command_end._end_by_signal", lambda number: None)
    assert dpkb_in_process(subcommand, "--", "sh", "-c", "kill -9 $$", cwd=world).returncode == 137


@pytest.mark.parametrize(
    ("subcommand", "function"),
    [
        ("run", "dpkb.diagnosis.conclusion.diagnose_files"),
        ("audit", "dpkb.audit.failure.diagnose"),
        ("audit", "dpkb.relay.audited_command.collect"),
        ("audit", "dpkb.output.audit.render_audit"),
    ],
)
def test_a_bug_after_the_end_keeps_the_code_of_a_failed_command(
    dpkb_in_process, world, monkeypatch, subcommand, function
):
    def fail(*_):
        raise ValueError("nobody foresaw this")

    monkeypatch.setattr(function, fail)
    done = dpkb_in_process(subcommand, "--", "sh", "-c", "exit 7", cwd=world)
    assert done.returncode == 7, done.stderr
    assert "ValueError: nobody foresaw this" in done.stderr
    assert done.stderr.endswith("Please report the lines above.\n")
    if function.endswith(("collect", "render_audit")):  # nothing is diagnosed if the command succeeds
        assert dpkb_in_process(subcommand, "--", "true", cwd=world).returncode == BUG


def test_a_report_that_cannot_be_written_after_the_run_returns_74(dpkb_in_process, world):
    command = "rm -f report; mkdir report; exit 7"
    done = dpkb_in_process("audit", "--json", "report", "--", "sh", "-c", command, cwd=world)
    assert done.returncode == CANNOT_WRITE, done.stderr
    assert done.stderr.splitlines()[-1] == "dpkb: report: cannot be written: Is a directory"


@pytest.mark.parametrize("target", ["log/report", "empty", "loop", "/proc/nothing"])
def test_a_file_that_cannot_be_written_is_refused_before_the_run(dpkb_in_process, world, target):
    done = dpkb_in_process("audit", "--json", target, "--", "touch", "ran", cwd=world)
    assert done.returncode == CANNOT_WRITE and "cannot be written" in done.stderr, done.stderr
    assert not (world / "ran").exists() and not done.stdout, "it ran first"


def test_unwritable_evidence_is_refused_before_the_run(dpkb_in_process, world):
    done = dpkb_in_process("verify", "ZZ8", "--kb", "full", "--trust", "--cold", "--record", cwd=world)
    assert done.returncode == CANNOT_WRITE and not done.stdout
    assert done.stderr.startswith(
        f"dpkb: {world}/full/evidence: the evidence cannot be written: File exists;"
    )


def run_writing_to(stdout, command, folder):
    """Run a dpkb with the catalogue `own` and with this file as its standard output."""
    return subprocess.run(
        [*small_dpkb(folder / "own"), *command.split()],
        cwd=folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        "list",
        "list --json",
        "show ZZ1",
        "search failure",
        "search zzzqqq",
        "matrix",
        "diagnose log",
        "verify ZZ2 --kb good --trust --cold",
        "repro ZZ2 --kb good --trust",
        "--help",
        "--version",
    ],
)
def test_output_on_a_full_disk_returns_74(world, command):
    with open("/dev/full", "wb") as full:
        done = run_writing_to(full, command, world)
    assert done.returncode == CANNOT_WRITE, done.stderr
    assert done.stderr.splitlines()[-1] == (
        "dpkb: standard output cannot be written: No space left on device"
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("verify ZZ2 --kb good --trust --cold", READER_GONE),
        ("repro ZZ2 --kb good --trust", READER_GONE),
        ("check --kb good", READER_GONE),
        ("search zzzqqq", READER_GONE),
        ("diagnose other_log", READER_GONE),
        ("diagnose log", READER_GONE),
        ("list", YES),
        ("show ZZ1", YES),
        ("--help", YES),
    ],
)
def test_a_verdict_without_a_reader_does_not_return_0(world, command, code):
    read, write = os.pipe()
    os.close(read)
    done = run_writing_to(write, command, world)
    os.close(write)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_ctrl_c_returns_130(world):
    with subprocess.Popen(
        [sys.executable, "-m", "dpkb", "diagnose", "-"],
        cwd=world,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        # More than a pipe can store: dpkb has read some of it, so it runs, and waits for more.
        process.stdin.write(b"all is well\n" * 100_000)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == INTERRUPTED
        assert b"Traceback" not in process.stderr.read()
