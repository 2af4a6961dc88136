"""Each way in which a script can end, judged; and the limits, folders and devices around a script."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest
from support import ROOT
from support.waiting import wait_until

from dpkb.catalogue.load import load, read_reproducer
from dpkb.run_records import Limit
from dpkb.runner.limits import Limits
from dpkb.runner.processes import find_descendants
from dpkb.runner.verify import reproduce

FORK_SERVER = str(ROOT / "dpkb" / "guest" / "fork_server.py")
OBSERVED = "print('OBSERVED {\"healthy\": false}')\n"
FORKS = """
import os, time
for _ in range(60):
    if os.fork() == 0:
        time.sleep(600)
time.sleep(600)
"""
SEMAPHORES = """
import multiprocessing
lock = multiprocessing.get_context("spawn").Lock()
while True:
    print("semaphore", lock._semlock.name)
"""


def repro(dpkb, folder, *more, **keywords):
    done = dpkb("repro", "ZZ1", "--kb", folder, "--trust", "--json", *more, **keywords)
    assert done.stdout, done.stderr
    return done, json.loads(done.stdout)


def left_behind():
    """Processes of this session with the home folder of a run, and fork servers except the tests' own."""
    found = []
    for process in psutil.process_iter():
        try:
            env = process.environ()
            mine = env.get("DPKB_STATE_DIR") == os.environ["DPKB_STATE_DIR"] and process.ppid() != os.getpid()
            if mine and ("/dpkb-scratch-" in env.get("HOME", "") or FORK_SERVER in process.cmdline()):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


MOON = "import sys\ntry:\n    import moon\nexcept ImportError:\n"
ENDS = [
    (OBSERVED + "raise SystemExit(1)", "wrong result", "confirmed", ""),
    (OBSERVED + "raise SystemExit(0)", "invalid", "inconclusive", "exit code 0"),
    (OBSERVED * 2 + "raise SystemExit(1)", "invalid", "inconclusive", "more than one"),
    (
        "print('OBSERVED {\"healthy\": fal', end='')\nraise SystemExit(1)",
        "invalid",
        "inconclusive",
        "not valid JSON",
    ),
    (
        "print('OBSERVED {\"healthy\": false, \"x\": \"' + 'y' * 99999 + '\"}')\nraise SystemExit(1)",
        "invalid",
        "inconclusive",
        "OBSERVED",
    ),
    ("raise SystemExit(1)", "invalid", "inconclusive", "without an OBSERVED"),
    ("raise ValueError('no')", "raised", "refuted", "ValueError: no"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "killed", "refuted", "signal 11"),
    ("import os\nos.abort()", "killed", "refuted", "signal 6"),
    (
        "import faulthandler, time\nfaulthandler.dump_traceback_later(0.3, exit=True)\ntime.sleep(60)",
        "hung",
        "refuted",
        "faulthandler",
    ),
    (MOON + "    print('SKIPPED a moon')\n    sys.exit(77)", "skipped", "skipped", "a moon"),
    ("print('SKIPPED a moon')\nraise SystemExit(70 + 7)", "invalid", "inconclusive", "no guard"),
    (
        MOON + "    print('SKIPPED json is not installed')\n    sys.exit(77)",
        "invalid",
        "inconclusive",
        "the script's `Needs:` line does not name json",
    ),
    ("raise KeyboardInterrupt", "killed", "refuted", "signal 2"),
    ("import sys\nsys.exit(2**70 + 1)", "invalid", "inconclusive", "exit code 255"),
    ("import sys\nsys.exit(-1)", "invalid", "inconclusive", "exit code 255"),
    ("import sys\nsys.exit(2**32 + 1)", "invalid", "inconclusive", "exit code 1 "),
    ("import sys\nsys.exit('a text')", "invalid", "inconclusive", "exit code 1 "),
    ("raise SystemExit(77)", "invalid", "inconclusive", "without a SKIPPED line"),
    (
        "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\x1b]0;x\\x07\\n')\n"
        + OBSERVED
        + "raise SystemExit(1)",
        "wrong result",
        "confirmed",
        "",
    ),
    ("import os\nos.close(1)\nraise SystemExit(1)", "invalid", "inconclusive", ""),
    (
        "import os\nos.write(1, bytes(3000) + b'\\n')\n" + OBSERVED + "raise SystemExit(1)",
        "wrong result",
        "confirmed",
        "",
    ),
    (
        "import atexit, os\natexit.register(os._exit, 0)\n"
        + OBSERVED.replace("\n", ", flush=True)\n", 1).replace("')", "'", 1)
        + "raise SystemExit(1)",
        "invalid",
        "inconclusive",
        "exit code 0",
    ),
    ("raise ValueError('n' * 50000 + 'o')", "raised", "refuted", "nnn"),
    ("def deeper(n):\n    return deeper(n + 1) + 1\ndeeper(0)", "raised", "refuted", "RecursionError"),
    ("import sys\nsys.stdin.read()\n" + OBSERVED + "raise SystemExit(1)", "wrong result", "confirmed", ""),
    ("import time\ntime.sleep(600)", "timed out", "inconclusive", "still running after 2 s"),
    ("while True:\n    print('x' * 9999)", "timed out", "inconclusive", "1 MiB written to stdout"),
]


BOTH = pytest.mark.parametrize("way", ["program", "fork"])


@BOTH
@pytest.mark.parametrize(("broken", "outcome", "verdict", "says"), ENDS)
def test_a_script_is_judged_correctly_and_leaves_nothing(
    catalogue, session_of, broken, outcome, verdict, says, way
):
    (entry,) = load([catalogue(broken=broken)])
    # Only those that never end need a short limit: the others may be slow on a machine under load.
    session = session_of(way, Limits(seconds=2 if "after 2 s" in says else 120, output_bytes=1 << 20))
    before = set(find_descendants(os.getpid()))
    result = reproduce(read_reproducer(entry.find_script("broken")), session)
    assert (result.outcome.value, result.verdict.value) == (outcome, verdict), result
    assert says in result.seen
    assert result.limit is (
        None if outcome != "timed out" else Limit.TIME if "still running" in says else Limit.OUTPUT
    )
    wait_until(lambda: set(find_descendants(os.getpid())) <= before)


@pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked on Linux only")
def test_a_script_that_cannot_be_started_is_at_no_limit(catalogue, session_of):
    (entry,) = load([catalogue(broken=OBSERVED)])
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    with ours:
        session = dataclasses.replace(session_of("program"), fork_server=ours)
        result = reproduce(read_reproducer(entry.find_script("broken")), session)
    assert (result.outcome.value, result.verdict.value, result.limit) == ("invalid", "inconclusive", None)
    assert result.seen.startswith("invalid: it could not be started (the process that forks")


WARM_OR_COLD = """
import __main__, json, os, random, sys, tempfile
import torch
def what():
    pass
observed = {"healthy": False, "argv": sys.argv == [__file__], "spec": __main__.__spec__ is None,
        "what": __main__.what is what, "path": sys.path[0] == os.path.dirname(__file__),
        "here": tempfile.gettempdir() == os.getcwd(), "session": os.getsid(0) == os.getpid(),
        "stdin": sys.stdin.read() == "", "draws": [random.random(), float(torch.rand(1))]}
print("OBSERVED", json.dumps(observed))
raise SystemExit(1)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [[], ["--cold"]])
def test_a_forked_script_sees_the_same_environment_as_a_new_process(dpkb, catalogue, how):
    done = dpkb(
        "verify", "ZZ1", "--kb", catalogue(broken=WARM_OR_COLD), "--trust", "--json", "--repeat", 2, *how
    )
    seen = [r["observed"] for r in json.loads(done.stdout)["results"] if r["script"] == "broken"]
    draws = [tuple(observed.pop("draws")) for observed in seen]
    assert all(observed.pop("healthy") is False and all(observed.values()) for observed in seen), seen
    assert draws[0][0] != draws[1][0] and draws[0][1] != draws[1][1]


@pytest.mark.skipif(sys.platform != "linux", reason="semaphores are files on Linux")
@BOTH
def test_no_semaphore_is_left_in_shared_memory(catalogue, session_of, way):
    """The script holds a semaphore when it is killed at the limit of its output."""
    (entry,) = load([catalogue(broken=SEMAPHORES)])
    printed = []
    session = session_of(way, Limits(output_bytes=1 << 16))
    result = reproduce(
        read_reproducer(entry.find_script("broken")), session, lambda stream, chunk: printed.append(chunk)
    )
    assert "written to stdout" in result.seen
    name = b"".join(printed).split()[1].decode()
    assert name.startswith("/mp-")
    assert not os.path.exists("/dev/shm/sem." + name[1:])


def test_the_private_folder_of_a_script_is_removed(dpkb, catalogue, tmp_path):
    broken = """
    import json, os, tempfile
    open("left.txt", "w").write("x")
    handle, name = tempfile.mkstemp()
    print("OBSERVED", json.dumps({"healthy": False, "cwd": os.getcwd(), "name": name}))
    raise SystemExit(1)
    """
    _, result = repro(dpkb, catalogue(broken=broken))
    seen = result["observed"]
    assert seen["cwd"] != str(tmp_path) and not os.path.exists(seen["cwd"])
    assert not os.path.exists(seen["name"])


@pytest.mark.parametrize(
    ("command", "number"),
    [
        (["verify"], signal.SIGINT),
        (["verify", "--cold"], signal.SIGTERM),
        (["repro"], signal.SIGINT),
        (["repro"], signal.SIGTERM),
    ],
)
def test_an_interrupt_ends_everything_at_once(catalogue, tmp_path, command, number):
    folder = catalogue(broken=FORKS)
    process = subprocess.Popen(
        [sys.executable, "-m", "dpkb", *command, "ZZ1", "--kb", str(folder), "--trust"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(left_behind()) < 30 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert process.poll() is None and left_behind(), process.communicate()
    process.send_signal(number)
    # It takes 2 s on an idle machine. The script would sleep for 10 minutes, with a limit of 2.
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "nothing is left running" in stderr
    assert left_behind() == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_a_small_shm_is_set_up_around_the_script(dpkb, catalogue):
    broken = """
    import json, os
    size = os.statvfs("/dev/shm")
    print("OBSERVED", json.dumps({"healthy": False, "mb": size.f_blocks * size.f_frsize >> 20}))
    raise SystemExit(1)
    """
    _, result = repro(dpkb, catalogue(broken=broken, places="cpu, linux, 3 MB /dev/shm"))
    if result["outcome"] == "skipped":
        assert "right to mount" in result["seen"]
        pytest.skip(result["seen"])
    assert result["observed"]["mb"] == 3


def test_a_descriptor_limit_is_set_up_around_the_script(dpkb, catalogue):
    broken = """
    import json, resource
    print("OBSERVED", json.dumps({"healthy": False,
                                  "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0]}))
    raise SystemExit(1)
    """
    _, result = repro(dpkb, catalogue(broken=broken, places="cpu, 64 open files"))
    assert result["observed"]["files"] == 64


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_without_the_right_to_mount_the_script_is_skipped_with_the_reason(catalogue, tmp_path):
    no_mounts = 'echo 0 > /proc/sys/user/max_mnt_namespaces; exec "$@"'
    prefix = ["unshare", "-U", "-r", "sh", "-c", no_mounts, "sh"]
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("user namespaces are refused here already, or unshare is missing")
    folder = catalogue(places="cpu, linux, 3 MB /dev/shm")
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "dpkb", "repro", "ZZ1", "--kb", str(folder), "--trust", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    result = json.loads(done.stdout)
    assert (result["verdict"], done.returncode) == ("skipped", 1)
    assert "right to mount" in result["seen"] and "No space left on device" in result["seen"]
