"""The scripts of tests/hostile: each is judged rightly, told its limit, and leaves nothing behind.

Each runs in both ways: in an interpreter of its own (repro), and as a fork (verify).
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from conftest import ROOT, TELLS_ITS_PEAK, write_catalogue

from dpkb.process import confinement

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only"),
              pytest.mark.reproducers]
SCRIPTS = ROOT / "tests" / "hostile"
BOTH = pytest.mark.parametrize("way", ["cold", "forked"])
confined = pytest.mark.skipif(confinement().note is not None, reason=str(confinement().note))

# The outcome, the verdict, and what the result says of it.
EXPECTED = {
    "balloon": ("timed out", "inconclusive", "GiB of memory"),
    "closes_stdout": ("invalid", "inconclusive", "without an OBSERVED line"),
    "deep_tree": ("timed out", "inconclusive", "too deep a tree"),
    "escapes": ("wrong result", "confirmed", ""),
    "fill_deleted": ("timed out", "inconclusive", "more than 4 GiB written to its temporary folder"),
    "fill_folder": ("timed out", "inconclusive", "more than 4 GiB written to its temporary folder"),
    "fill_home": ("timed out", "inconclusive", "more than 4 GiB written to its temporary folder"),
    "flood_stderr": ("timed out", "inconclusive", "more than 16 MiB written to stderr"),
    "flood_stdout": ("timed out", "inconclusive", "more than 16 MiB written to stdout"),
    "fork_storm": ("timed out", "inconclusive", "more than 256 processes"),
    "ignores_signals": ("timed out", "inconclusive", "still running after 5 s"),
    "many_files": ("timed out", "inconclusive", "more than 100000 files"),
    "orphan": ("wrong result", "confirmed", ""),
    "sparse_file": ("wrong result", "confirmed", ""),
    "stops": ("timed out", "inconclusive", "still running after 5 s, stopped by a signal"),
    "stops_its_parent": ("timed out", "inconclusive", "still running after 5 s"),
}
# What ends by the clock gets little of it; the others get enough for a busy machine.
BY_THE_CLOCK = ("ignores_signals", "stops", "stops_its_parent", "kills_its_parent")
NO_NAMESPACES = ('for kind in user mnt pid net ipc; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done; '
                 'exec "$@"')


class Runner:
    """Runs a hostile script through dpkb, with folders of its own that must be empty afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = f"hostile-{os.getpid()}-{folder.name}"
        self.home, self.temporary = folder / "home", folder / "tmp"
        for made in (self.home, self.temporary):
            made.mkdir()
        (self.home / "kept").write_text("as it was")
        self.env = {**os.environ, "HOME": str(self.home), "TMPDIR": str(self.temporary),
                    "HOSTILE_TOKEN": self.token}

    def command(self, name: str, way: str, *more: str) -> list[str]:
        kb = self.folder / "made"
        if not kb.exists():
            write_catalogue(kb, broken=(SCRIPTS / f"{name}.py").read_text())
        verb = ["repro"] if way == "cold" else ["verify"]
        return [*verb, "X1", "--kb", str(kb), "--trust", "--timeout", "5" if name in BY_THE_CLOCK else "120",
                *more]

    def __call__(self, name: str, way: str, prefix: tuple[str, ...] = ()) -> tuple[dict, str]:
        """The result of the script, and what dpkb wrote to stderr; nothing of it may be left."""
        done = subprocess.run(
            [*prefix, sys.executable, "-m", "dpkb", *self.command(name, way, "--json")], env=self.env,
            capture_output=True, text=True, errors="strict", cwd=self.folder, check=False)
        assert done.stdout, done.stderr
        told = json.loads(done.stdout)
        results = told.get("results", [told])
        (result,) = [one for one in results if one["script"] == "broken"]
        # In the same command and after it, an ordinary script still runs.
        assert all(one["verdict"] == "confirmed" for one in results if one["script"] == "fixed"), results
        self.nothing_is_left()
        return result, done.stderr

    def nothing_is_left(self) -> None:
        assert self.processes() == []
        assert list(self.temporary.iterdir()) == []
        assert glob.glob(f"/var/tmp/dpkb-*/{self.token}") == []
        assert not os.path.exists(f"/dev/shm/{self.token}")
        assert [path.name for path in self.home.iterdir() if path.name != ".cache"] == ["kept"]
        assert (self.home / "kept").read_text() == "as it was"

    def processes(self) -> list[psutil.Process]:
        """What runs with this runner's token in its environment: forks of the template have it too."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("HOSTILE_TOKEN") == self.token:
                    found.append(process)
            except (psutil.Error, OSError):
                continue
        return found


@pytest.fixture
def hostile(tmp_path):
    runner = Runner(tmp_path)
    yield runner
    for process in runner.processes():
        process.kill()


@pytest.fixture
def without_namespaces():
    """The start of a command under a kernel that refuses every further namespace."""
    prefix = ("unshare", "-U", "-r", "sh", "-c", NO_NAMESPACES, "sh")
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("user namespaces are refused here already, or unshare is missing")
    return prefix


def test_every_hostile_script_is_run():
    more = {"connects_out", "kills_its_parent", "undoes_it", "writes_elsewhere"}
    assert {path.stem for path in SCRIPTS.glob("*.py")} == set(EXPECTED) | more


@BOTH
@pytest.mark.parametrize("name", EXPECTED)
def test_the_outcome_the_limit_and_nothing_left(hostile, name, way):
    if name == "balloon" and psutil.virtual_memory().available < 12 << 30:
        pytest.skip("needs 12 GiB of free memory")
    if name.startswith("fill") and shutil.disk_usage(hostile.folder).free < 20 << 30:
        pytest.skip("needs 20 GiB of free disk")
    result, _ = hostile(name, way)
    outcome, verdict, says = EXPECTED[name]
    assert (result["outcome"], result["verdict"]) == (outcome, verdict), result
    assert says in result["seen"]


@BOTH
@pytest.mark.parametrize("name", ["orphan", "ignores_signals", "stops", "stops_its_parent", "fork_storm",
                                  "flood_stdout", "sparse_file", "fill_folder"])
def test_without_namespaces_the_same(hostile, without_namespaces, name, way):
    if name == "orphan":
        # Only a /dev/shm of its own is sure to go.
        hostile.env["HOSTILE_TOKEN"] = hostile.token = "null"
        hostile.nothing_is_left = lambda: None
    result, stderr = hostile(name, way, without_namespaces)
    outcome, verdict, says = EXPECTED[name]
    assert (result["outcome"], result["verdict"]) == (outcome, verdict), result
    assert says in result["seen"]
    assert "nothing keeps a script from changing your files" in stderr
    assert "No space left on device" in stderr  # what this kernel says to one namespace too many


@BOTH
def test_a_supervisor_that_the_script_kills_is_told_and_nothing_is_left(hostile, without_namespaces, way):
    result, _ = hostile("kills_its_parent", way, without_namespaces)
    assert (result["outcome"], result["verdict"]) == ("timed out", "inconclusive")
    assert "supervisor of the script was ended" in result["seen"]


@confined
@BOTH
def test_a_script_cannot_see_its_supervisor(hostile, way):
    result, _ = hostile("kills_its_parent", way)
    assert (result["outcome"], result["verdict"]) == ("timed out", "inconclusive")
    assert "still running after 5 s" in result["seen"]


@confined
@BOTH
def test_files_elsewhere_are_out_of_reach(hostile, tmp_path, way):
    checkout = tmp_path / "made"
    write_catalogue(checkout, broken=(SCRIPTS / "writes_elsewhere.py").read_text())
    scripts = checkout / "reproducers" / "x1_made"
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    others = [hostile.home, checkout, scripts, ROOT, ROOT / "dpkb", tmp_path, hostile.temporary,
              Path(sys.prefix), Path("/tmp"), Path("/etc")]
    hostile.env["HOSTILE_FOLDERS"] = os.pathsep.join(map(str, others))
    result, _ = hostile("writes_elsewhere", way)
    assert result["observed"] == {"healthy": False, "others": [], "own": [True] * 4}
    assert before == {path: path.read_bytes() for path in before}
    assert not any((folder / hostile.token).exists() for folder in others)


@confined
@BOTH
def test_only_the_loopback_is_there(hostile, way):
    with socket.create_server(("127.0.0.1", 0)) as outside:
        hostile.env["HOSTILE_PORT"] = str(outside.getsockname()[1])
        result, _ = hostile("connects_out", way)
    assert result["observed"] == {"healthy": False, "reached": [], "loopback": True}, result


@confined
@BOTH
def test_a_script_cannot_undo_its_confinement(hostile, way):
    result, _ = hostile("undoes_it", way)
    assert result["observed"] == {"healthy": False, "done": []}, result


@pytest.mark.parametrize("name", ["escapes", "flood_stdout", "flood_stderr"])
def test_the_terminal_and_dpkbs_own_memory_are_safe(hostile, name):
    """At most 64 MB for dpkb itself; no control character but the newline on its output."""
    done = subprocess.run([sys.executable, "-c", TELLS_ITS_PEAK, *hostile.command(name, "cold")],
                          env=hostile.env, capture_output=True, cwd=hostile.folder, check=False)
    stderr, peak_kib = done.stderr.decode().strip().rpartition("\n")[::2]
    text = done.stdout.decode() + stderr
    assert int(peak_kib) < 64 * 1024
    assert len(text) < 100_000
    assert [c for c in text if c != "\n" and not c.isprintable()] == []
    hostile.nothing_is_left()
