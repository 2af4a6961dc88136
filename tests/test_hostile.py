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
import tempfile
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
    "fill_deleted": ("timed out", "inconclusive", "GiB written to its temporary folder"),
    "fill_folder": ("timed out", "inconclusive", "GiB written to its temporary folder"),
    "fill_home": ("timed out", "inconclusive", "GiB written to its temporary folder"),
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
# What ends by the clock gets little of it; the others more than a busy machine needs.
BY_THE_CLOCK = ("ignores_signals", "stops", "stops_its_parent", "kills_its_parent")
NO_NAMESPACES = ('for kind in user mnt pid net ipc; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done; '
                 'exec "$@"')


class Runner:
    """Runs a hostile script through dpkb, with folders of its own that must be empty afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.own_shm = folder, True
        self.token = f"hostile-{os.getpid()}-{folder.name}"
        self.home, self.temporary = folder / "home", folder / "tmp"
        for made in (self.home, self.temporary):
            made.mkdir()
        (self.home / "kept").write_text("as it was")
        self.env = {**os.environ, "HOME": str(self.home), "TMPDIR": str(self.temporary),
                    "HOSTILE_TOKEN": self.token}

    def command(self, names: list[str], way: str, *more: str) -> list[str]:
        """The arguments of dpkb that run these scripts: one cold, or all as forks of one template."""
        kb = self.folder / "made"
        ids = [f"X{number}" for number in range(1, len(names) + 1)]
        if not kb.exists():
            for entry_id, name in zip(ids, names, strict=True):
                write_catalogue(kb, entry_id, broken=(SCRIPTS / f"{name}.py").read_text())
        return ["repro" if way == "cold" else "verify", *ids, "--kb", str(kb), "--trust",
                "--timeout", "5" if set(names) <= set(BY_THE_CLOCK) else "900", *more]

    def __call__(self, names: list[str], way: str, prefix: tuple[str, ...] = ()) -> tuple[list[dict], str]:
        """The results of the scripts, and what dpkb wrote to stderr; nothing of them may be left."""
        more = ["--json"] if way == "cold" else ["--json", "-j", "1"]
        done = subprocess.run(
            [*prefix, sys.executable, "-m", "dpkb", *self.command(names, way, *more)], env=self.env,
            capture_output=True, text=True, errors="strict", cwd=self.folder, check=False)
        assert done.stdout, done.stderr
        told = json.loads(done.stdout)
        results = told.get("results", [told])
        # Beside the hostile scripts an ordinary one still runs.
        assert all(one["verdict"] == "confirmed" for one in results if one["script"] == "fixed"), results
        self.nothing_is_left()
        broken = [one for one in results if one["script"] == "broken"]
        return sorted(broken, key=lambda one: int(one["id"][1:])), done.stderr

    def one(self, name: str, way: str, prefix: tuple[str, ...] = ()) -> tuple[dict, str]:
        """The same for one script."""
        (result,), stderr = self([name], way, prefix)
        return result, stderr

    def nothing_is_left(self) -> None:
        assert self.processes() == []
        assert list(self.temporary.iterdir()) == []
        assert glob.glob(f"/var/tmp/dpkb-*/{self.token}") == []
        shared = Path("/dev/shm", self.token)
        if self.own_shm:
            assert not shared.exists()
        shared.unlink(missing_ok=True)
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


@pytest.fixture(scope="module")
def forked(tmp_path_factory):
    """The results of all as forks: those that end by the clock in one command, the others in another."""
    found = {}
    for clock in (True, False):
        names = [name for name in EXPECTED if (name in BY_THE_CLOCK) is clock and room_for(name)]
        results, _ = Runner(tmp_path_factory.mktemp("forked"))(names, "forked")
        found.update(zip(names, results, strict=True))
    return found


def room_for(name: str) -> bool:
    """Whether this machine has the memory and the disk that the script is to be stopped at."""
    if name == "balloon":
        return psutil.virtual_memory().available > 12 << 30
    return not name.startswith("fill") or shutil.disk_usage(tempfile.gettempdir()).free > 20 << 30


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_of_its_own(hostile, name):
    if not room_for(name):
        pytest.skip("needs 12 GiB of free memory, or 20 GiB of free disk")
    judge(name, hostile.one(name, "cold")[0])


@pytest.mark.parametrize("name", EXPECTED)
def test_a_fork(forked, name):
    if name not in forked:
        pytest.skip("needs 12 GiB of free memory, or 20 GiB of free disk")
    judge(name, forked[name])


def judge(name: str, result: dict) -> None:
    outcome, verdict, says = EXPECTED[name]
    assert (result["outcome"], result["verdict"]) == (outcome, verdict), result
    assert says in result["seen"]


@BOTH
@pytest.mark.parametrize("name", ["orphan", "stops_its_parent", "fork_storm", "fill_folder"])
def test_without_namespaces_the_same(hostile, without_namespaces, name, way):
    hostile.own_shm = False
    result, stderr = hostile.one(name, way, without_namespaces)
    judge(name, result)
    assert "nothing keeps a script from changing your files" in stderr
    assert "No space left on device" in stderr  # what this kernel says to one namespace too many


@BOTH
def test_a_supervisor_that_the_script_kills_is_told_and_nothing_is_left(hostile, without_namespaces, way):
    result, _ = hostile.one("kills_its_parent", way, without_namespaces)
    assert (result["outcome"], result["verdict"]) == ("timed out", "inconclusive")
    assert "supervisor of the script was ended" in result["seen"]


@confined
@BOTH
def test_a_script_cannot_see_its_supervisor(hostile, way):
    result, _ = hostile.one("kills_its_parent", way)
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
    result, _ = hostile.one("writes_elsewhere", way)
    assert result["observed"] == {"healthy": False, "others": [], "own": [True] * 4}
    assert before == {path: path.read_bytes() for path in before}
    assert not any((folder / hostile.token).exists() for folder in others)


@confined
@BOTH
def test_only_the_loopback_is_there(hostile, way):
    with socket.create_server(("127.0.0.1", 0)) as outside:
        hostile.env["HOSTILE_PORT"] = str(outside.getsockname()[1])
        result, _ = hostile.one("connects_out", way)
    assert result["observed"] == {"healthy": False, "reached": [], "loopback": True}, result


@confined
@BOTH
def test_a_script_cannot_undo_its_confinement(hostile, way):
    result, _ = hostile.one("undoes_it", way)
    assert result["observed"] == {"healthy": False, "done": []}, result


@pytest.mark.parametrize("name", ["escapes", "flood_stdout", "flood_stderr"])
def test_the_terminal_and_dpkbs_own_memory_are_safe(hostile, name):
    """At most 64 MB for dpkb itself; no control character but the newline on its output."""
    done = subprocess.run([sys.executable, "-c", TELLS_ITS_PEAK, *hostile.command([name], "cold")],
                          env=hostile.env, capture_output=True, cwd=hostile.folder, check=False)
    stderr, peak_kib = done.stderr.decode().strip().rpartition("\n")[::2]
    text = done.stdout.decode() + stderr
    assert int(peak_kib) < 64 * 1024
    assert len(text) < 100_000
    assert [c for c in text if c != "\n" and not c.isprintable()] == []
    hostile.nothing_is_left()
