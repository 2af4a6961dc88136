"""The scripts of hostile/: each is judged correctly, stopped at its limit, and leaves nothing behind.

Each runs as a separate program (repro) and as a fork (verify), under limits that it reaches at once.
"""

from __future__ import annotations

import dataclasses
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import ROOT, write_catalogue
from support.peak_memory import run_with_peak
from support.waiting import wait_until

from dpkb.guest import processes
from dpkb.model import Needs, Outcome, Reproducer
from dpkb.run_records import RunResult, Verdict
from dpkb.runner import launch, supervisor_client
from dpkb.runner.confinement import Confinement, find_confinement
from dpkb.runner.limits import Limits
from dpkb.runner.session import Session
from dpkb.runner.verify import reproduce

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only")
SCRIPTS = ROOT / "tests" / "runner" / "hostile"
BOTH = pytest.mark.parametrize("way", ["program", "fork"])

LIMITS = Limits(seconds=60, output_bytes=1 << 20, disk_bytes=64 << 20, files=1000, processes=60)
MEMORY = dataclasses.replace(LIMITS, memory_bytes=128 << 20)
CLOCK = dataclasses.replace(LIMITS, seconds=1.5)
WRONG, TIMED_OUT, INVALID = Outcome.WRONG_RESULT, Outcome.TIMED_OUT, Outcome.INVALID
# Script -> the outcome, some words of the result, and the limits. Each script claims a wrong result.
EXPECTED = {
    "balloon": (TIMED_OUT, "more than 0.125 GiB of memory", MEMORY),
    "breaks_its_folder": (TIMED_OUT, "too deep a tree", LIMITS),
    "closes_stdout": (INVALID, "without an OBSERVED line", LIMITS),
    "daemon": (WRONG, "", LIMITS),
    "deep_tree": (TIMED_OUT, "too deep a tree", LIMITS),
    "escapes": (WRONG, "", LIMITS),
    "fill_deleted": (TIMED_OUT, "GiB written to its temporary folder", LIMITS),
    "fill_folder": (TIMED_OUT, "GiB written to its temporary folder", LIMITS),
    "fill_home": (TIMED_OUT, "GiB written to its temporary folder", LIMITS),
    "flood_observed": (TIMED_OUT, "more than 1 MiB written to stdout", LIMITS),
    "flood_stderr": (TIMED_OUT, "more than 1 MiB written to stderr", LIMITS),
    "flood_stdout": (TIMED_OUT, "more than 1 MiB written to stdout", LIMITS),
    "fork_storm": (TIMED_OUT, "more than 60 processes", LIMITS),
    "ignores_signals": (TIMED_OUT, "still running after 1.5 s", CLOCK),
    "many_files": (TIMED_OUT, "more than 1000 files", LIMITS),
    "orphan": (WRONG, "", LIMITS),
    "reserves_stdout": (TIMED_OUT, "more than 1 MiB written to stdout", LIMITS),
    "sparse_file": (WRONG, "", LIMITS),
    # Enough time to reach its SIGSTOP, also on a machine under load.
    "stops": (
        TIMED_OUT,
        "still running after 6 s, stopped by a signal",
        dataclasses.replace(LIMITS, seconds=6),
    ),
    "stops_its_parent": (TIMED_OUT, "still running after 1.5 s", CLOCK),
    "unreadable": (TIMED_OUT, "more than 0.125 GiB of memory", MEMORY),
}
# Also run without namespaces: there, processes are ended, and processes and memory counted, in another way.
UNCONFINED = [
    "balloon",
    "daemon",
    "fill_folder",
    "fork_storm",
    "orphan",
    "stops_its_parent",
]

Run = Callable[..., RunResult]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session_of: Callable[..., Session]) -> Iterator[Run]:
    """run(name, way, limits, confinement) -> how a hostile script is judged. Nothing of it may be left."""
    token = f"hostile-{os.getpid()}-{tmp_path.name}"
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    (home / "kept").write_text("as it was")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(supervisor_client, "END_SECONDS", 2.0)
    monkeypatch.setenv("HOSTILE_TOKEN", token)
    before = set(processes.find_descendants(os.getpid()))
    shared = Path("/dev/shm", token)

    def hostile(
        name: str, way: str, limits: Limits = LIMITS, confinement: Confinement | None = None
    ) -> RunResult:
        session = session_of(way, limits, confinement, {**os.environ, "HOME": str(home)})
        path = SCRIPTS / f"{name}.py"
        script = Reproducer("ZZ1", name, path, "", WRONG, source=path.read_text(), needs=Needs())
        result = reproduce(script, session)
        if session.confinement.active:
            assert not shared.exists()
        shared.unlink(missing_ok=True)
        return result

    yield hostile
    wait_until(lambda: set(processes.find_descendants(os.getpid())) <= before)
    assert list(temporary.iterdir()) == []
    assert glob.glob(f"/var/tmp/dpkb-*/{token}") == []
    assert [path.name for path in home.iterdir()] == ["kept"]
    assert (home / "kept").read_text() == "as it was"


@pytest.fixture
def confined() -> None:
    """Skips where this machine cannot confine scripts fully."""
    if warning := find_confinement().warning:
        pytest.skip(warning)


def assert_judged_as_expected(name: str, result: RunResult) -> None:
    outcome, says, _ = EXPECTED[name]
    verdict = Verdict.CONFIRMED if outcome is WRONG else Verdict.INCONCLUSIVE
    assert (result.outcome, result.verdict) == (outcome, verdict), result
    assert says in result.seen
    assert (result.limit is not None) == (outcome is TIMED_OUT)


def test_every_hostile_script_is_run():
    more = {
        "connects_out",
        "kills_all",
        "kills_its_parent",
        "opens_by_handle",
        "own_file_system",
        "traces_pid_1",
        "undoes_it",
        "writes_elsewhere",
    }
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(EXPECTED) | more


@BOTH
@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_script_is_judged_correctly_and_leaves_nothing(run, name, way, confined):
    assert_judged_as_expected(name, run(name, way, EXPECTED[name][2]))


@BOTH
@pytest.mark.parametrize("name", UNCONFINED)
def test_a_hostile_script_is_judged_the_same_without_namespaces(run, name, way):
    assert_judged_as_expected(name, run(name, way, EXPECTED[name][2], Confinement(why="a test")))


@BOTH
def test_a_script_that_kills_its_supervisor_is_reported_and_ends_with_it(run, way):
    result = run("kills_its_parent", way, confinement=Confinement(why="a test"))
    assert (result.outcome, result.verdict) == (INVALID, Verdict.INCONCLUSIVE)
    # The second if it was faster than the message that it has started.
    assert "supervisor of the script was ended" in result.seen or "supervisor ended early" in result.seen


@BOTH
def test_a_script_cannot_see_its_supervisor(run, way, confined):
    result = run("kills_its_parent", way, CLOCK)
    assert "still running after 1.5 s" in result.seen


@BOTH
def test_a_file_elsewhere_cannot_be_opened_by_its_handle(run, tmp_path, monkeypatch, way, confined):
    victim = tmp_path / "victim"
    victim.touch()
    monkeypatch.setenv("HOSTILE_VICTIM", str(victim))
    assert run("opens_by_handle", way).observed == {"healthy": False, "opened": False}
    assert victim.read_text() == ""


@BOTH
def test_a_script_gains_nothing_from_the_first_process_of_its_namespace(run, way, confined):
    observed = run("traces_pid_1", way).observed
    assert observed == {"healthy": False, "attached": False, "capabilities": 0}


def test_a_private_file_system_in_memory_is_refused(run, confined):
    result = run("own_file_system", "program", dataclasses.replace(MEMORY, seconds=3))
    assert result.outcome is TIMED_OUT and "still running" in result.seen, "it would have ended itself"


@BOTH
def test_a_script_cannot_change_files_outside_its_folders(run, tmp_path, monkeypatch, way, confined):
    checkout = write_catalogue(tmp_path / "checkout")
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    others = [
        tmp_path / "home",
        checkout,
        checkout / "kb",
        ROOT,
        ROOT / "dpkb",
        tmp_path,
        tmp_path / "tmp",
        Path(sys.prefix),
        Path("/tmp"),
        Path("/etc"),
    ]
    monkeypatch.setenv("HOSTILE_FOLDERS", os.pathsep.join(map(str, others)))
    observed = run("writes_elsewhere", way).observed
    assert observed == {"healthy": False, "others": [], "own": [True] * 4}
    assert before == {path: path.read_bytes() for path in before}


@BOTH
def test_a_script_has_only_the_loopback_interface(run, monkeypatch, way, confined):
    with socket.create_server(("127.0.0.1", 0)) as outside:
        monkeypatch.setenv("HOSTILE_PORT", str(outside.getsockname()[1]))
        observed = run("connects_out", way).observed
    assert observed == {"healthy": False, "reached": [], "loopback": True}


@BOTH
def test_a_script_cannot_undo_its_confinement(run, monkeypatch, way, confined):
    ours, others = os.openpty()
    monkeypatch.setenv("HOSTILE_TERMINAL", os.ttyname(others))
    observed = run("undoes_it", way).observed
    os.close(ours)
    os.close(others)
    assert observed == {"healthy": False, "done": []}


@BOTH
def test_a_script_that_kills_every_process_it_sees_harms_nothing_else(run, way, confined):
    result = run("kills_all", way)
    assert (result.outcome, result.verdict) == (WRONG, Verdict.CONFIRMED), result


SHARED = """
import glob, os, time
import torch, torch.multiprocessing as mp
mp.set_sharing_strategy("file_system")
kept = [torch.ones(10).share_memory_() for _ in range(200)]
print("shared", len(glob.glob(f"/dev/shm/torch_{os.getpid()}_*")), os.getpid(), flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.slow
def test_shared_memory_of_torch_is_removed_even_without_a_private_shm(tmp_path):
    script, printed = tmp_path / "shared.py", []
    script.write_text(SHARED)
    command = [sys.executable, str(script)]
    program = launch.Program(command, dict(os.environ), Needs(), Confinement())
    ended = launch.run_to_end(program, Limits(), threading.Event(), lambda *written: printed.append(written))
    word, count, pid = b"".join(chunk for stream, chunk in printed if stream == "stdout").decode().split()
    assert (ended.signal, word, count) == (9, "shared", "200"), ended
    assert glob.glob(f"/dev/shm/torch_{pid}_*") == []


# A /dev as containers have it, with an accelerator that is a broken link.
ODD_DEVICES = """
mount -t tmpfs odd "$0" && cd "$0" && mkdir shm && ln -s /nowhere nvidia-gone &&
for name in null zero full random urandom; do touch $name && mount --bind /dev/$name $name || exit 1; done
mount --rbind "$0" /dev && exec "$@"
"""


FINDS = "from dpkb.runner.confinement import find_confinement; print(find_confinement().active)"


def test_a_broken_link_in_dev_is_left_out(tmp_path):
    prefix = ["unshare", "-U", "-r", "-m", "sh", "-c", ODD_DEVICES, str(tmp_path)]
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("user namespaces are refused here, or unshare is missing")
    done = subprocess.run(
        [*prefix, sys.executable, "-c", FINDS],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True\n"


# Runs a command in a user namespace in which no further namespace can be created.
NO_NAMESPACES = [
    "unshare",
    "-U",
    "-r",
    "sh",
    "-c",
    'for kind in user mnt pid net ipc; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done; exec "$@"',
    "sh",
]


def test_the_user_is_warned_of_what_an_unconfined_script_can_do(catalogue, tmp_path):
    if shutil.which("unshare") is None or subprocess.run([*NO_NAMESPACES, "true"], check=False).returncode:
        pytest.skip("user namespaces are refused here already, or unshare is missing")
    command = ["repro", "ZZ1", "--kb", str(catalogue()), "--trust"]
    done = subprocess.run(
        [*NO_NAMESPACES, sys.executable, "-m", "dpkb", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (
        "nothing keeps a script from changing your files or signalling your processes or reaching the "
        "network here: unshare: No space left on device; see SECURITY.md"
    ) in done.stderr


@pytest.mark.parametrize("name", ["escapes", "flood_observed", "flood_stderr", "flood_stdout"])
def test_the_terminal_and_dpkbs_own_memory_are_safe(catalogue, tmp_path, name):
    """At most 64 MB for dpkb itself; no control character but the newline on its output."""
    folder = catalogue(broken=(SCRIPTS / f"{name}.py").read_text())
    done, peak = run_with_peak("repro", "ZZ1", "--kb", folder, "--trust", cwd=tmp_path)
    text = done.stdout + done.stderr
    assert peak < 64
    assert len(text) < 100_000
    assert [c for c in text if c != "\n" and not c.isprintable()] == []
