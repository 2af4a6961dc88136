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
import threading
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from conftest import ROOT, TELLS_ITS_PEAK, write_catalogue

from dpkb.entry import Ended, Needs
from dpkb.process import Confinement, cold, confinement, run
from dpkb.usage import Limits

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only"),
              pytest.mark.reproducers]
SCRIPTS = ROOT / "tests" / "hostile"
BOTH = pytest.mark.parametrize("way", ["cold", "forked"])
confined = pytest.mark.skipif(confinement().note is not None, reason=str(confinement().note))
counted = pytest.mark.skipif(confinement().cgroup is None, reason="no group can be made in a cgroup v2 here")

# The outcome, the verdict, and what the result says of it.
EXPECTED = {
    "balloon": ("timed out", "inconclusive", "GiB of memory"),
    "breaks_its_folder": ("timed out", "inconclusive", "too deep a tree"),
    "closes_stdout": ("invalid", "inconclusive", "without an OBSERVED line"),
    "daemon": ("wrong result", "confirmed", ""),
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
    "reserves_stdout": ("timed out", "inconclusive", "more than 16 MiB written to stdout"),
    "sparse_file": ("wrong result", "confirmed", ""),
    "stops": ("timed out", "inconclusive", "still running after 5 s, stopped by a signal"),
    "stops_its_parent": ("timed out", "inconclusive", "still running after 5 s"),
}
# Memory that is not where one looks first: each is stopped at a smaller limit than dpkb's own.
FILLS_MEMORY = ["balloon", "memfd", "segments", "unreadable"]
# What ends by the clock gets little of it; the others more than a busy machine needs.
BY_THE_CLOCK = ("ignores_signals", "stops", "stops_its_parent", "kills_its_parent")
NO_NAMESPACES = ('for kind in user mnt pid net ipc; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done; '
                 'exec "$@"')
# The kernel takes 16 rulesets of a process and its parents, and refuses Landlock to it from then on.
NO_RULES = """
import ctypes, os, struct, sys
call = ctypes.CDLL(None).syscall
assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0
for _ in range(16):
    ruleset = call(444, struct.pack("Q", 1 << 11), 8, 0)
    assert call(446, ruleset, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
"""


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


@pytest.fixture
def ruled(without_namespaces):
    """The same, where the kernel has all the rules of Landlock that dpkb asks for."""
    asked = [*without_namespaces, sys.executable, str(ROOT / "dpkb" / "confine.py")]
    found = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    if found["ruled"] != ["files", "processes"]:
        pytest.skip("needs Landlock as of Linux 6.12")
    return without_namespaces


@pytest.fixture
def without_anything(without_namespaces):
    """The start of a command under a kernel that refuses namespaces and Landlock."""
    stacked = (sys.executable, "-c", NO_RULES)
    ended = subprocess.run([*stacked, "true"], stderr=subprocess.DEVNULL, check=False).returncode
    return without_namespaces if ended else (*without_namespaces, *stacked)  # it has none to refuse


def test_every_hostile_script_is_run():
    more = {*FILLS_MEMORY, "connects_out", "kills_all", "kills_its_parent", "own_file_system",
            "undoes_it", "writes_elsewhere"}
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


@confined
@pytest.mark.skipif(not confinement().user and confinement().cgroup is None, reason="nothing stops root here")
def test_a_file_system_of_its_own_in_memory_is_refused_or_counts(tmp_path):
    limits = Limits(memory_bytes=256 << 20, seconds=20)
    ended, said = within(SCRIPTS / "own_file_system.py", limits, confinement(), tmp_path)
    assert ended.limit in ("more than 0.25 GiB of memory", "still running after 20 s"), said
    assert "filled" not in said


COUNTED = """
own = next(line[3:].strip() for line in open("/proc/self/cgroup") if line.startswith("0::"))
print(own, *(open("/sys/fs/cgroup" + own + "/" + name).read() for name in ("memory.max", "pids.max")))
"""


@counted
@pytest.mark.parametrize("parts", [confinement().parts, ()])
def test_the_kernel_counts_memory_and_processes_and_the_group_goes(tmp_path, parts):
    script = tmp_path / "counted.py"
    script.write_text(COUNTED)
    limits = Limits(memory_bytes=256 << 20)
    held = replace(confinement(), parts=parts, user=bool(parts) and confinement().user)
    ended, said = within(script, limits, held, tmp_path)
    assert ended.code == 0, said
    group, memory, tasks = said.split()
    assert (int(memory), int(tasks)) == (256 << 20, 512 + 32 * os.cpu_count())
    assert group.rpartition("/")[2].startswith("dpkb-")
    assert not Path("/sys/fs/cgroup" + group).exists()


@counted
def test_a_group_goes_also_where_its_supervisor_was_killed(tmp_path):
    held = replace(confinement(), parts=(), ruled=(), user=False)
    before = set(glob.glob(f"{held.cgroup}/dpkb-*"))
    ended, _ = within(SCRIPTS / "kills_its_parent.py", Limits(seconds=20), held, tmp_path)
    assert "supervisor of the script was ended" in ended.limit
    assert set(glob.glob(f"{held.cgroup}/dpkb-*")) <= before


SHARED = """
import glob, os, time
import torch, torch.multiprocessing as mp
mp.set_sharing_strategy("file_system")
held = [torch.ones(10).share_memory_() for _ in range(200)]
print("made", len(glob.glob(f"/dev/shm/torch_{os.getpid()}_*")), os.getpid(), flush=True)
os.kill(os.getpid(), 9)
"""


def test_what_torch_shares_by_name_goes_also_where_everybody_sees_it(tmp_path):
    script = tmp_path / "shared.py"
    script.write_text(SHARED)
    ended, said = within(script, Limits(), Confinement(), tmp_path)
    word, made, pid = said.split()
    assert (ended.signal, word, made) == (9, "made", "200"), (ended, said)
    assert glob.glob(f"/dev/shm/torch_{pid}_*") == []


WITHOUT = ["orphan", "stops_its_parent", "fork_storm", "fill_folder"]
UNDER_RULES = ["orphan", "stops_its_parent"]


def within(script: Path | str, limits: Limits, held: Confinement, folder: Path) -> tuple[Ended, str]:
    """How a script ends in dpkb's runner under other limits than a user has; what it printed."""
    said = []
    env = {**os.environ, "HOSTILE_TOKEN": f"hostile-{os.getpid()}-{folder.name}"}
    start = cold([sys.executable, str(script)], env, Needs(), held, limits)
    ended = run(start, limits, threading.Event(), lambda _, chunk: said.append(chunk))
    return ended, b"".join(said).decode()


@pytest.mark.parametrize(("name", "held"), [
    *(pytest.param(name, confinement(), marks=confined, id=f"{name}-confined") for name in FILLS_MEMORY),
    *(pytest.param(name, Confinement(), id=f"{name}-not") for name in FILLS_MEMORY if name != "segments"),
])
def test_memory_wherever_it_is_counts(tmp_path, name, held):
    limits = Limits(memory_bytes=256 << 20, seconds=600)
    ended, said = within(SCRIPTS / f"{name}.py", limits, held, tmp_path)
    assert ended.limit == "more than 0.25 GiB of memory", (ended, said)


@BOTH
@pytest.mark.parametrize("name", WITHOUT)
def test_without_namespaces_and_rules_the_same(hostile, without_anything, name, way):
    hostile.own_shm = False
    result, stderr = hostile.one(name, way, without_anything)
    judge(name, result)
    assert "nothing keeps a script from changing your files" in stderr
    assert "signalling your processes or reaching the network" in stderr
    assert "No space left on device" in stderr  # what this kernel says to one namespace too many


@BOTH
@pytest.mark.parametrize("name", UNDER_RULES)
def test_under_rules_the_same(hostile, ruled, name, way):
    hostile.own_shm = False
    result, stderr = hostile.one(name, way, ruled)
    judge(name, result)
    assert "changing the mode or the times of your files or reaching the network" in stderr


@BOTH
def test_a_supervisor_that_the_script_kills_is_told_and_nothing_is_left(hostile, without_anything, way):
    result, _ = hostile.one("kills_its_parent", way, without_anything)
    assert (result["outcome"], result["verdict"]) == ("timed out", "inconclusive")
    assert "supervisor of the script was ended" in result["seen"]


@BOTH
def test_rules_keep_the_supervisor_alive(hostile, ruled, way):
    result, _ = hostile.one("kills_its_parent", way, ruled)
    assert (result["outcome"], result["verdict"]) == ("timed out", "inconclusive")
    assert "still running after 5 s" in result["seen"]


@confined
@BOTH
def test_a_script_cannot_see_its_supervisor(hostile, way):
    result, _ = hostile.one("kills_its_parent", way)
    assert (result["outcome"], result["verdict"]) == ("timed out", "inconclusive")
    assert "still running after 5 s" in result["seen"]


@confined
@BOTH
def test_files_elsewhere_are_out_of_reach(hostile, tmp_path, way):
    assert reached(hostile, tmp_path, way) == {"healthy": False, "others": [], "own": [True] * 4}


@BOTH
def test_rules_keep_files_elsewhere_out_of_reach(hostile, ruled, tmp_path, way):
    hostile.own_shm = False
    found = reached(hostile, tmp_path, way, ruled)
    Path("/var/tmp", hostile.token).unlink()  # nor is that its own
    assert found == {"healthy": False, "others": [], "own": [True] * 4}


def reached(hostile, tmp_path, way, prefix=()) -> dict:
    """What a script observes that tries to change files in many folders; none may have changed."""
    checkout = tmp_path / "made"
    write_catalogue(checkout, broken=(SCRIPTS / "writes_elsewhere.py").read_text())
    scripts = checkout / "reproducers" / "x1_made"
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    others = [hostile.home, checkout, scripts, ROOT, ROOT / "dpkb", tmp_path, hostile.temporary,
              Path(sys.prefix), Path("/tmp"), Path("/etc")]
    hostile.env["HOSTILE_FOLDERS"] = os.pathsep.join(map(str, others))
    result, _ = hostile.one("writes_elsewhere", way, prefix)
    assert before == {path: path.read_bytes() for path in before}
    assert not any((folder / hostile.token).exists() for folder in others)
    return result["observed"]


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
    mine, others = os.openpty()
    hostile.env["HOSTILE_TERMINAL"] = os.ttyname(others)
    result, _ = hostile.one("undoes_it", way)
    os.close(mine)
    os.close(others)
    assert result["observed"] == {"healthy": False, "done": []}, result


# A /dev as containers have it, with a link that leads nowhere among its accelerators.
ODD_DEVICES = """
mount -t tmpfs odd "$0" && cd "$0" && mkdir shm && ln -s /nowhere nvidia-gone &&
for name in null zero full random urandom; do touch $name && mount --bind /dev/$name $name || exit 1; done
mount --rbind "$0" /dev && exec "$@"
"""


def test_a_link_to_nowhere_among_the_devices_is_passed_over(tmp_path):
    prefix = ["unshare", "-U", "-r", "-m", "sh", "-c", ODD_DEVICES, str(tmp_path)]
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("user namespaces are refused here, or unshare is missing")
    done = subprocess.run([*prefix, sys.executable, str(ROOT / "dpkb" / "confine.py")],
                          capture_output=True, text=True, check=True)
    assert "files" in json.loads(done.stdout)["parts"], done.stdout


@confined
@BOTH
def test_a_script_can_kill_all_that_it_sees(hostile, way):
    result, _ = hostile.one("kills_all", way)
    assert (result["outcome"], result["verdict"]) == ("wrong result", "confirmed"), result


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
