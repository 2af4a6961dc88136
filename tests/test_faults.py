"""dpkb is killed at any point, runs many times at once, or lacks room: nothing is lost, no file is cut."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from support import ROOT, write_catalogue
from support.results import HERE, result

from dpkb.catalogue import scaffold
from dpkb.catalogue.load import load
from dpkb.errors import UsageError
from dpkb.evidence import store as evidence
from dpkb.runner import trust
from dpkb.search.store import find_entries
from tools import merge_evidence


def install_bomb(point):
    """Make this process kill itself with SIGKILL, in call number `point` of those that change a file.

    The writes of sqlite, which is C code, do not count: a test with strace kills inside of them.
    """
    left = point

    def counted(function):
        def call(*args, **more):
            nonlocal left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **more)

        return call

    for owner, names in ((os, ("fsync", "replace", "close", "open", "mkdir")), (Path, ("write_text",))):
        for name in names:
            setattr(owner, name, counted(getattr(owner, name)))


def exit_code_of(write, env=None, point=None):
    """The exit code of a copy of this process that writes something; minus the signal if it was killed."""
    return start_copy(write, env, point)()


def start_copy(write, env=None, point=None):
    """Start a copy of this process that writes something. Returns a function that waits for its exit code."""
    child = os.fork()
    if not child:
        try:
            os.environ.update(env or {})
            if point is not None:
                install_bomb(point)
            write()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return lambda: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at_every_point(write, check, env=None):
    """Kill the writer at its first call that changes a file, at its second, and so on, until it completes.

    check(completed) looks at the files after each of these runs. Returns the number of such calls.
    """
    for point in range(200):
        code = exit_code_of(write, env, point)
        check(code == 0)
        if code == 0:
            return point
        assert code == -signal.SIGKILL
    raise AssertionError("the writer never completes")


def record_evidence(folder, *names):
    runs = [result(name) for name in names]
    evidence.record(runs, replace(HERE, torch="2.15.0"), load([folder]), folder, "2026-01-01")


def test_trust_is_old_or_new_whenever_its_writer_is_killed(tmp_path):
    state, kept = tmp_path / "state", tmp_path / "state" / "trusted.json"
    first, second = write_catalogue(tmp_path / "first"), write_catalogue(tmp_path / "second")
    env = {"DPKB_STATE_DIR": str(state)}
    assert exit_code_of(partial(trust.record_trust, first), env) == 0

    def check(completed):
        trusted = json.loads(kept.read_text())["trusted"]
        assert str(first) in trusted
        assert str(second) in trusted or not completed

    assert kill_at_every_point(partial(trust.record_trust, second), check, env) >= 5


def test_evidence_is_old_or_new_whenever_its_writer_is_killed(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    path = folder / "evidence" / "2.15.0-3.11.7-linux-cpu.json"
    record_evidence(folder, "broken")

    def check(completed):
        keys = json.loads(path.read_text())["scripts"]
        assert set(keys) == ({"ZZ1/broken", "ZZ1/fixed"} if completed or len(keys) == 2 else {"ZZ1/broken"})

    assert kill_at_every_point(partial(record_evidence, folder, "fixed"), check) >= 5
    # The next writer removes what killed writers have left, once it is old.
    left = list(path.parent.glob(".*.tmp"))
    assert left
    for file in left:
        os.utime(file, (1, 1))
    record_evidence(folder, "fixed")
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_index_is_right_whenever_its_builder_is_killed(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    env = {"DPKB_CACHE_DIR": str(tmp_path / "cache")}

    def ask():
        found = find_entries([folder], "failure made for a test", 5)
        assert ([hit.id for hit in found.hits], found.unreadable_count) == (["ZZ1"], 0)

    def check(completed):
        assert exit_code_of(ask, env) == 0
        (index,) = (tmp_path / "cache").glob("index-*.sqlite")
        with sqlite3.connect(index) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not completed:
            index.unlink()

    assert kill_at_every_point(ask, check, env) >= 5


def test_a_merge_that_is_killed_can_be_repeated(tmp_path):
    """Two files of evidence are merged with a third: no script that was recorded before is ever missing."""
    folder, others = write_catalogue(tmp_path / "catalogue"), write_catalogue(tmp_path / "parts")
    own, other = (folder / "evidence" / f"{torch}-3.11.7-linux-cpu.json" for torch in ("2.15.0", "2.4.0"))
    record_evidence(folder, "broken")
    record_evidence(others, "fixed")
    of_part = others / "evidence" / own.name
    of_part.with_name(other.name).write_text(of_part.read_text().replace('"2.15.0"', '"2.4.0"'))

    def check(completed):
        assert "ZZ1/broken" in json.loads(own.read_text())["scripts"]
        for path in filter(Path.exists, (own, other)):
            json.loads(path.read_text())
        if completed:
            assert [set(json.loads(path.read_text())["scripts"]) for path in (own, other)] == [
                {"ZZ1/broken", "ZZ1/fixed"},
                {"ZZ1/fixed"},
            ]

    def merge():
        merge_evidence.merge([evidence.read(path) for path in sorted(others.rglob("*.json"))], folder)

    assert kill_at_every_point(merge, check) >= 10


def test_a_skeleton_that_was_cut_short_is_completed_by_the_same_command(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    catalogue = load([folder])
    entry, scripts = folder / "kb" / "zz2_slug_two.md", folder / "reproducers" / "zz2_slug_two"

    def create():
        scaffold.create("ZZ2", "slug_two", folder, load([folder]))

    def check(completed):
        # The entry is written last: if it exists, all files are complete, and none is overwritten.
        assert entry.exists() or not completed
        if entry.exists():
            with pytest.raises(UsageError, match="already exists"):
                scaffold.create("ZZ2", "slug_two", folder, catalogue)
        else:
            scaffold.create("ZZ2", "slug_two", folder, catalogue)
        assert entry.read_text().endswith("Why it happens\n") and len(list(scripts.glob("*.py"))) == 2
        assert all(path.read_text().endswith("else 1)\n") for path in scripts.glob("*.py"))
        entry.unlink()
        shutil.rmtree(scripts)

    assert kill_at_every_point(create, check) >= 10


def can_trace():
    """Whether strace works here: it stops a process inside of C code too."""
    tool = shutil.which("strace")
    command = [tool, "-o", "/dev/null", "true"]
    return tool and subprocess.run(command, capture_output=True, check=False).returncode == 0


SEARCHES = """
import sys
from pathlib import Path
from dpkb.search.store import find_entries
find_entries([Path(sys.argv[1])], "failure made for a test", 5)
"""


@pytest.mark.skipif(not can_trace(), reason="needs strace")
def test_the_index_is_right_after_a_kill_inside_of_sqlite(tmp_path, monkeypatch):
    folder = write_catalogue(tmp_path / "catalogue")
    cache = tmp_path / "cache"
    monkeypatch.setenv("DPKB_CACHE_DIR", str(cache))
    killed = 0
    for call, number in (("pwrite64", 1), ("pwrite64", 3), ("pwrite64", 20), ("fsync", 1), ("rename", 1)):
        shutil.rmtree(cache, ignore_errors=True)
        inject = f"inject={call}:signal=KILL:when={number}"
        subprocess.run(
            [
                "strace",
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                f"trace={call}",
                "-e",
                inject,
                sys.executable,
                "-c",
                SEARCHES,
                folder,
            ],
            cwd=tmp_path,
            capture_output=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            check=False,
        )
        killed += any(cache.glob(".index-*.tmp"))
        assert [hit.id for hit in find_entries([folder], "failure made for a test", 5).hits] == ["ZZ1"]
        assert len(list(cache.glob("index-*.sqlite"))) == 1
    assert killed >= 3


def test_many_processes_that_record_at_once_lose_nothing(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    state = tmp_path / "state"
    others = [write_catalogue(tmp_path / f"other{i}") for i in range(6)]
    writers = [partial(trust.record_trust, other) for other in others]
    writers += [partial(record_evidence, folder, name) for name in ("broken", "fixed") * 3]
    env = {"DPKB_STATE_DIR": str(state)}
    assert [wait() for wait in [start_copy(write, env) for write in writers]] == [0] * 12
    assert set(json.loads((state / "trusted.json").read_text())["trusted"]) == set(map(str, others))
    (path,) = (folder / "evidence").iterdir()
    assert set(json.loads(path.read_text())["scripts"]) == {"ZZ1/broken", "ZZ1/fixed"}


def test_two_commands_that_record_at_once_lose_nothing(tmp_path):
    """Each runs one entry, while the test reads the evidence."""
    folder = write_catalogue(tmp_path / "catalogue")
    write_catalogue(folder, entry_id="ZZ2")
    command = [sys.executable, "-m", "dpkb", "verify"]
    more = ["--kb", str(folder), "--trust", "--cold", "--record"]
    both = [
        subprocess.Popen(
            [*command, name, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for name in ("ZZ1", "ZZ2")
    ]
    while any(process.poll() is None for process in both):
        time.sleep(0.01)
        for path in (folder / "evidence").glob("*.json"):
            json.loads(path.read_text())
    errors = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    (path,) = (folder / "evidence").iterdir()
    scripts = set(json.loads(path.read_text())["scripts"])
    assert scripts == {"ZZ1/broken", "ZZ1/fixed", "ZZ2/broken", "ZZ2/fixed"}


# -- without room -----------------------------------------------------------------------------------


def test_results_that_cannot_be_recorded_are_still_printed(tmp_path):
    """The table or the JSON comes first, then a line for each file that was not written. Code 74."""
    folder = write_catalogue(tmp_path / "catalogue")
    (folder / "evidence").mkdir()
    done = namespace(
        'mount -t tmpfs -o size=4k none "$2/evidence"; head -c 4096 /dev/zero >"$2/evidence/fill"\n'
        'verify() { set +e; "$1" -m dpkb verify ZZ1 --kb "$2" --trust --cold --record $3; '
        'echo "code $?"; }; verify "$1" "$2" 2>&1; verify "$1" "$2" --json\n'
        'ls -A "$2/evidence"\n',
        sys.executable,
        folder,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    table, document, *_, left = done.stdout.split("code 74\n")
    *shown, summary, first = table.splitlines()
    assert ["ZZ1", "broken", "confirmed"] in [line.split()[:3] for line in shown] and "2 confirmed" in summary
    full = "cannot be written: No space left on device"
    assert first.startswith(f"dpkb: {folder}/evidence: the evidence {full}; what was recorded before is ")
    assert json.loads(document)["summary"]["confirmed"] == 2
    assert first in done.stderr and left == "fill\n"


# -- poor surroundings ------------------------------------------------------------------------------


def namespace(script, *arguments, **more):
    """Run a shell script as root of a new mount namespace; skip where that is not allowed."""
    alone = ["unshare", "-rm"] if os.geteuid() else ["unshare", "-m"]
    tool = shutil.which("unshare")
    if not tool or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs mount namespaces")
    return subprocess.run(
        [*alone, "sh", "-ec", script, "sh", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        **more,
    )


def test_a_full_disk_loses_nothing(tmp_path):
    folder, room = write_catalogue(tmp_path / "catalogue"), tmp_path / "room"
    room.mkdir()
    (folder / "evidence").mkdir()
    record = "import sys, test_faults; from pathlib import Path; "
    record += "test_faults.record_evidence(Path(sys.argv[1]), sys.argv[2])"
    done = namespace(
        'mount -t tmpfs -o size=64k none "$3/evidence"; mount -t tmpfs -o size=64k none "$2"\n'
        '"$1" -c "$4" "$3" broken; cp "$3"/evidence/*.json "$2/before"\n'
        'dd if=/dev/zero of="$3/evidence/fill" bs=4k 2>/dev/null || true\n'
        'dd if=/dev/zero of="$2/fill" bs=4k 2>/dev/null || true\n'
        'export DPKB_CACHE_DIR="$2" DPKB_STATE_DIR="$2"\n'
        '"$1" -m dpkb search "bus error" && "$1" -c "$4" "$3" fixed 2>&1 | tail -n 1\n'
        'cmp "$2/before" "$3"/evidence/*.json && ls -A "$3/evidence"\n',
        sys.executable,
        room,
        folder,
        record,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT)])},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("DP15 ")
    assert "the evidence cannot be written: No space left on device" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["2.15.0-3.11.7-linux-cpu.json", "fill"]


def test_nothing_can_be_written_anywhere(tmp_path):
    """A read-only installation, home and temporary folder."""
    done = namespace(
        "cut -d ' ' -f 2 /proc/self/mounts | while read place; do\n"
        '  mount -o remount,bind,ro "$place" 2>/dev/null || true; done\n'
        'if touch "$2/probe" "$3/probe" 2>/dev/null; then exit 9; fi\n'
        '"$1" -m dpkb search "bus error"; "$1" -m dpkb list; "$1" -m dpkb show DP15\n'
        '"$1" -m dpkb repro DP7 2>&1 | tail -n 1\n',
        sys.executable,
        tmp_path,
        ROOT,
        cwd=tmp_path,
        env={**os.environ, "DPKB_CACHE_DIR": str(tmp_path / "x")},
    )
    if done.returncode == 9:
        pytest.skip("the file systems cannot be made read-only here")
    assert done.returncode == 0 and done.stdout.startswith("DP15 ") and not done.stderr, done.stderr
    # A script needs a temporary folder.
    last = done.stdout.splitlines()[-1]
    assert last.startswith("dpkb: No usable temporary directory found in ["), last
    assert last.endswith("]; name a folder that can be written to: TMPDIR=DIR")


def search_and_repro_after(command, folder):
    """Search, then run a script, after a shell command has changed the mounted file systems."""
    done = namespace(
        f'{command} 2>/dev/null || exit 9\n"$1" -m dpkb search "bus error"; "$1" -m dpkb repro DP7\n',
        sys.executable,
        cwd=folder,
    )
    if done.returncode == 9:
        pytest.skip("cannot be taken away here")
    assert "DP15 " in done.stdout and "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.slow
@pytest.mark.parametrize("command", ["umount -l /dev/shm", "mount -t tmpfs -o ro none /dev/shm"])
def test_without_shared_memory_a_script_runs(tmp_path, command):
    done = search_and_repro_after(command, tmp_path)
    assert done.returncode == 0 and "confirmed: this machine shows" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_without_proc_the_message_names_it(tmp_path):
    done = search_and_repro_after("umount -l /proc", tmp_path)
    assert done.returncode == 2 and "Verdict" not in done.stdout, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.endswith("; dpkb can run scripts only if /proc is mounted\n"), done.stderr
