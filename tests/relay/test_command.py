"""dpkb run compared with the bare command: the same bytes, the same exit code.

$R stands before the command in each case: nothing, or dpkb with a small catalogue and `run --`.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest
from support import write_catalogue
from support.small_dpkb import small_dpkb
from support.waiting import wait_until

from dpkb.relay.command import EndConditions, OutputLoop, run_command

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("bash"), reason="compares under bash on Linux"
)
# What dpkb adds to standard error when the command has failed.
EXPLANATION = re.compile(
    rb"(?:dpkb: [^\n]* left out[^\n]*\n)?\ndpkb: [^\n]+ Diagnosis of its output:\n"
    rb".*?dpkb search WORDS\n",
    re.DOTALL,
)

# Waits for a signal, and then exits with code 5. In Python: dash hangs if a signal arrives while it starts a
# program.
ENDS = """
import os, signal
def end(number, frame):
    os.write(1, b"usr1\\n")
    os._exit(5)
signal.signal(signal.SIGUSR1, end)
open("ready", "w").close()
while True:
    signal.pause()
"""

# timeout (coreutils) must have returned from fork() before it gets a signal: before, it acts as the child.
UNTIL_IT_WAITS = "until test -e ready && grep -q '^State:.S' /proc/$!/status; do sleep 0.01; done;"
CASES = {
    "prints": "$R echo hello",
    "prints on both": "$R sh -c 'echo out; echo err >&2'",
    "prints nothing": "$R true",
    **{f"exit code {n}": f"$R sh -c 'echo x; exit {n}'" for n in (1, 2, 3, 77, 125, 128, 255)},
    **{
        f"killed by {name}": f"$R sh -c 'echo x; kill -{name} $$'; echo code $?"
        for name in ("KILL", "TERM", "INT", "HUP", "USR1", "ABRT", "SEGV", "PIPE")
    },
    "order of both streams in one pipe": "$R sh -c 'for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done' 2>&1",
    "order in one file": "$R sh -c 'echo a; echo b >&2; echo c' > log 2>&1; cat log",
    "order in one file that is appended to": "echo before > log; $R sh -c 'echo a; echo b >&2' >> log 2>&1; "
    "echo after >> log; cat log",
    "streams in two files": "$R sh -c 'echo a; echo b >&2' > out 2> err; cat err out",
    "a file written in between": "(echo 1; $R echo 2; echo 3) > log; cat log",
    "standard input by pipe": "echo input | $R cat",
    "standard input by file": "echo input > f; $R cat < f",
    "standard input is not read ahead": "printf 'one\\ntwo\\n' | ($R head -c 4; cat)",
    "standard input closed": "$R cat <&-",
    "standard output closed": "$R /bin/echo lost >&-; echo code $?",
    "standard error closed": "$R sh -c 'echo lost >&2; echo code $?' 2>&-",
    "an inherited descriptor": "$R sh -c 'echo there >&7' 7> f; cat f",
    "an inherited descriptor to read": "echo there > f; $R cat /dev/fd/9 9< f",
    "process substitution": "$R cat <(echo one) <(echo two)",
    "process substitution for output": "$R tee >(cat > f) <<< text; until grep -qs text f; do sleep 0.01; done; cat f",
    "no descriptor of dpkb's own": "$R ls /proc/self/fd",
    "variables": "FOO=bar $R env | grep -Ev '^(_|R)=' | sort",
    "no variable is added": 'env -i PATH="$PATH" HOME=/ $R env | grep -v ^_= | sort',
    "a variable that is empty": "FOO= $R env | grep FOO",
    "the working folder": "cd /; $R pwd",
    "the mask of files": "umask 027; $R sh -c umask",
    "limits": "ulimit -n 99; $R sh -c 'ulimit -n'",
    "priority": "nice -n 5 $R nice",
    "signals as they were": "$R grep -E '^Sig(Pnd|Blk|Ign|Cgt)' /proc/self/status",
    "signals that are ignored": "trap '' USR1 HUP; $R grep -E '^Sig(Pnd|Blk|Ign|Cgt)' /proc/self/status",
    "a signal that its starter ignores, and it does not": "trap '' USR1; $R $PY ends.py 2> /dev/null & until test -e ready; do sleep 0.01; done; "
    "kill -USR1 $!; wait $!; echo $?",
    "under nohup": "nohup $R sh -c 'kill -HUP $$; echo alive' 2> /dev/null",
    "a reader that goes": "$R yes | head -n 2; echo ${PIPESTATUS[0]}",
    "a reader that never reads":
    # bash itself may have the pipe open for a moment longer, so one line may still be written.
    "$R sh -c 'until test -e gone; do sleep 0.01; done; while echo x; do sleep 0.01; done' "
    "| (exec <&-; touch gone); "
    "echo ${PIPESTATUS[0]}",
    "in a pipeline": "echo b a c | $R tr ' ' '\\n' | sort",
    "in a substitution": "echo [$($R echo inner)]",
    "in itself": "$R $R echo twice",
    "as a condition": "if $R false; then echo yes; else echo no; fi",
    "arguments kept apart": "$R printf '[%s]' 'a b' '' '*' '$HOME' '--help' -n",
    "options of the command": "$R ls --directory /",
    "bytes that are no text": "$R printf '\\377\\000\\001\\n\\r\\033[0m'",
    "no newline at the end": "$R printf 'no end'",
    "a long line": "$R head -c 3000000 /dev/zero | wc -c",
    "60 MB of random bytes": "head -c 60000000 /dev/urandom > f; $R cat f | cmp - f && echo same",
    "an early end of a slow reader": "$R seq 200000 | (sleep 0.5; tail -n 1)",
    "background output after the end": "$R sh -c '(sleep 0.7; echo late) & echo now' | cat",
    "background output in another session": "$R sh -c 'setsid sh -c \"sleep 0.7; echo late\" & echo now' | cat",
    "many writers": "$R sh -c 'for i in 1 2 3 4; do (seq 1000) & done; wait' | sort -n | md5sum",
    # SIGALRM is timeout's own clock. No touch: a signal to dash while it starts a program may hang it.
    "under timeout": f"timeout 300 $R sh -c ': > ready; exec sleep 300' & {UNTIL_IT_WAITS} "
    "kill -ALRM $!; wait $!; echo $?",
    # timeout signals the command, then its group. The kernel may deliver the two as one.
    "under timeout with another signal": f"timeout -s USR1 300 $R $PY ends.py > out 2> /dev/null & {UNTIL_IT_WAITS} "
    "kill -ALRM $!; wait $!; echo $?; uniq out",
    "the alarm clock of its starter": "$PY -c 'import os, signal, sys; signal.alarm(1); "
    "os.execvp(sys.argv[1], sys.argv[1:])' $R sleep 300; echo $?",
    "in a session of its own": "setsid --wait $R sh -c 'echo x; exit 4'; echo $?",
    "from xargs": "echo 1 2 3 | xargs -n 1 $R echo",
    "not there": "$R no-such-command 2> /dev/null; echo $?",
    "not executable": "touch f; $R ./f 2> /dev/null; echo $?",
    "a folder": "$R / 2> /dev/null; echo $?",
    "a script without a first line": "echo 'echo hi' > f; chmod +x f; bash -c \"$R sh ./f\"",
    "an exec": "$R sh -c 'exec echo replaced'",
    "a child that outlives its parent's signal": "$R sh -c 'sleep 0.2 & wait $!; echo done'",
    "its process group": "$R sh -c 'test $(ps -o pgid= $$) = $(ps -o pgid= $PPID) && echo same'",
}


def shell(script, prefix, folder, **more):
    folder.mkdir()
    (folder / "ends.py").write_text(ENDS)
    env = {**os.environ, "R": prefix, "PWD": str(folder), "PY": sys.executable}
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=env,
        timeout=120,
        check=False,
        **more,
    )


@pytest.fixture(scope="module")
def dpkb_run(tmp_path_factory):
    """`dpkb run --` with a small catalogue, for $R."""
    folder = write_catalogue(tmp_path_factory.mktemp("own"))
    return " ".join([*small_dpkb(folder), "run", "--"])


@pytest.mark.parametrize("name", CASES)
def test_a_command_does_the_same_under_dpkb_run(tmp_path, dpkb_run, name):
    bare = shell(CASES[name], "", tmp_path / "bare")
    wrapped = shell(CASES[name], dpkb_run, tmp_path / "wrap")
    without = [
        EXPLANATION.sub(b"", text.replace(b"/wrap", b"/bare")) for text in (wrapped.stdout, wrapped.stderr)
    ]
    # bash names the command line of a process that was killed.
    bare_error, error = (re.sub(rb"bash: line.*\n", b"", text) for text in (bare.stderr, without[1]))
    assert (without[0], error, wrapped.returncode) == (bare.stdout, bare_error, bare.returncode)


def test_a_silent_command_is_ended_after_the_stalled_seconds(dpkb):
    done = dpkb("run", "--stalled", 5, "--", "sh", "-c", "echo one; exec sleep 300")
    assert (done.returncode, done.stdout) == (124, "one\n")
    assert "no output for 5 s" in done.stderr and "dpkb list --kind hangs" in done.stderr
    assert "sh was ended by dpkb after 5 s without output." in done.stderr


@pytest.mark.parametrize("outputs", ["> /dev/null 2>&1", "> /dev/null 2> /dev/zero", "1<> full 2>&-"])
def test_a_command_that_writes_is_not_stalled_wherever_it_writes_to(tmp_path, outputs):
    (tmp_path / "full").write_text("-" * 1000)
    script = "for i in $(seq 24); do echo line; sleep 0.25; done; exit 7"
    command = f'exec "$0" -m dpkb run --stalled 4 -- sh -c "{script}" {outputs}'
    done = subprocess.run(
        ["sh", "-c", command.replace("$(", "\\$("), sys.executable], cwd=tmp_path, check=False
    )
    assert done.returncode == 7


def test_a_command_with_closed_outputs_cannot_be_watched():
    command = f"{sys.executable} -m dpkb run --stalled 4 -- sleep 300 >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 2


# Prints a line after its handler is installed, so that the silence before its end begins with the handler.
CATCHES_SIGTERM = """
import signal, sys
def end(number, frame):
    print("caught", flush=True)
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
signal.pause()
"""


@pytest.mark.parametrize("subcommand", ["run", "audit"])
def test_a_silent_command_that_catches_sigterm_counts_as_stalled(dpkb, subcommand):
    done = dpkb(subcommand, "--stalled", 8, "--", sys.executable, "-c", CATCHES_SIGTERM)
    assert done.returncode == 124
    assert done.stdout.startswith("ready\ncaught\n"), done.stdout


def test_an_error_of_dpkb_leaves_no_command_behind():
    started = []

    def fail(pid):
        started.append(psutil.Process(pid))
        raise ValueError("nobody foresaw this")

    with pytest.raises(ValueError, match="nobody foresaw this"):
        run_command(["sleep", "300"], EndConditions(0.2, fail))
    assert not started[0].is_running()


@pytest.fixture
def activity():
    """How much the watched command has written."""
    return [0]


@pytest.fixture
def watched(activity, monkeypatch):
    """A command that is watched for 3 s of silence by a clock that the test moves.

    watched(seconds) -> whether it counts as stalled when these have passed, in steps.
    """
    now, ended = [0.0], []
    monkeypatch.setattr("dpkb.relay.command.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr("dpkb.runner.processes.end_gracefully", ended.append)
    process = SimpleNamespace(pid=os.getpid(), poll=lambda: None)
    stream = SimpleNamespace(measure_activity=lambda: activity[0])
    loop = OutputLoop(process, [stream], EndConditions(3.0))

    def passed(seconds, step=0.5):
        for _ in range(int(seconds / step)):
            now[0] += step
            loop.check()
        assert loop.was_stalled == bool(ended)
        return loop.was_stalled

    return passed


def test_output_counts_as_activity(watched, activity):
    for _ in range(5):
        assert not watched(2)
        activity[0] += 1
    assert watched(5)


def test_time_in_which_dpkb_and_its_command_are_stopped_does_not_count(watched):
    """Ctrl-Z, then fg an hour later: dpkb was stopped for all that time."""
    assert not watched(2)
    assert not watched(3600, step=3600)
    assert not watched(2)
    assert watched(5)


def test_time_in_which_only_the_command_is_stopped_does_not_count(watched, monkeypatch):
    monkeypatch.setattr("dpkb.runner.processes.is_stopped", lambda pid: True)
    assert not watched(3600)
    monkeypatch.setattr("dpkb.runner.processes.is_stopped", lambda pid: False)
    assert watched(5)


@pytest.mark.parametrize("whom", ["command", "both"])
def test_a_stopped_command_is_not_stalled(whom):
    """Ctrl-Z and a scheduler stop the whole group; a user can also stop only the command."""
    command = [
        sys.executable,
        "-m",
        "dpkb",
        "run",
        "--stalled",
        "6",
        "--",
        "sh",
        "-c",
        "echo $$; read line; echo $line",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as started:
        pid = int(started.stdout.readline())
        stop, target = (os.kill, pid) if whom == "command" else (os.killpg, started.pid)
        stop(target, signal.SIGSTOP)
        time.sleep(7)
        stop(target, signal.SIGCONT)
        assert started.communicate(b"end\n")[0] == b"end\n"
    assert started.returncode == 0


def test_the_diagnosis_of_a_failure_is_printed_on_stderr(dpkb):
    code = "print('begun', flush=True)\nraise ValueError('sampler option is mutually exclusive with shuffle')"
    done = dpkb("run", "--", sys.executable, "-c", code)
    assert (done.returncode, done.stdout) == (1, "begun\n")
    assert "ValueError: sampler option" in done.stderr and "DP14" in done.stderr


def test_what_the_ranks_wrote_into_the_log_dir_is_read_too(dpkb, tmp_path):
    """As torchrun writes them with --redirects 3. An older log in the folder is none of this command."""
    ranks = tmp_path / "here" / "logs" / "job_x1" / "attempt_0"
    (ranks / "5").mkdir(parents=True)
    (ranks / "5" / "stderr.log").write_text("KeyError: 5\n")
    os.utime(ranks / "5" / "stderr.log", (1000, 1000))
    code = """
import pathlib, sys
for rank, text in enumerate(["Connection closed by peer", "sampler option is mutually exclusive with shuffle"]):
    folder = pathlib.Path(sys.argv[2], "job_x1", "attempt_0", str(rank))
    folder.mkdir()
    folder.joinpath("stderr.log").write_text(f"RuntimeError: {text}\\n")
sys.exit("failed (exitcode: 1) local_rank: 1")
"""
    done = dpkb("run", "--", sys.executable, "-c", code, "--log-dir", "logs")
    assert done.returncode == 1
    assert "Rank 1 failed first: RuntimeError: sampler option" in done.stderr and "DP14" in done.stderr
    assert "rank 0 followed" in done.stderr and "rank 5" not in done.stderr


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo step 1 loss 0.5; kill -9 $$", "U9 "),
        ("echo one; kill -11 $$", "(dpkb show Q4)"),
        ("echo 'RuntimeError: CUDA error: unspecified'; kill -11 $$", "(dpkb show Q5)"),
        ("echo one; kill -15 $$", "No entry of the catalogue explains this log.\nFor a symptom"),
    ],
)
def test_a_signal_is_the_clue_if_the_output_has_none(dpkb, command, expected):
    assert expected in dpkb("run", "--", "sh", "-c", command).stderr


@pytest.mark.parametrize("place", ["pipe", "file"])
def test_the_beginning_and_the_end_of_a_long_output_are_kept(tmp_path, place):
    message = "ValueError: sampler option is mutually exclusive with shuffle"
    script = f"(echo begun; head -c 60000000 /dev/zero | tr '\\0' 'x'; echo; echo '{message}'; exit 1)"
    with open(tmp_path / "log", "wb") as log:
        done = subprocess.run(
            [sys.executable, "-m", "dpkb", "run", "--", "bash", "-c", script],
            stdout=log if place == "file" else subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1 and b"DP14" in done.stderr


def test_output_of_an_earlier_run_in_the_same_file_does_not_count(tmp_path):
    log = tmp_path / "log"
    log.write_text("ValueError: sampler option is mutually exclusive with shuffle\n")
    with open(log, "ab") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "dpkb", "run", "--", "false"],
            stdout=stream,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert b"No entry of the catalogue explains" in done.stderr


@pytest.mark.parametrize(
    ("options", "command", "advice"),
    [
        ([], "echo one; exit 2", ""),
        (["--stalled", 2], "echo one; exec sleep 300", "start it again and, while it hangs, take the stack"),
    ],
)
def test_no_stack_is_asked_of_a_command_that_has_ended(dpkb, options, command, advice):
    shown = " ".join(dpkb("run", *options, "--", "sh", "-c", command).stderr.split())
    assert "if the job still runs" not in shown
    assert advice in shown and bool(advice) == ("Collect next: " in shown)


@pytest.mark.parametrize("subcommand", ["run", "audit"])
def test_a_misspelt_option_is_not_taken_for_a_program(dpkb, subcommand):
    done = dpkb(subcommand, "-stalled", 3, "true")
    assert done.returncode == 2
    assert done.stderr == (
        "dpkb: -stalled is neither an option of this command nor a program; "
        "the options come first, then -- and what to run\n"
    )


def test_a_wrong_catalogue_is_reported_before_the_command_starts(dpkb):
    done = dpkb("run", "--kb", "/nowhere", "--", "echo", "started")
    assert done.returncode == 2 and "started" not in done.stdout and "/nowhere" in done.stderr


def test_dpkb_does_not_wait_for_a_background_process(tmp_path):
    """The background process is not ended either: what it writes still arrives."""
    script = "(until test -e go; do sleep 0.05; done; echo late) & echo now"
    command = [sys.executable, "-m", "dpkb", "run", "--", "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as started:
        assert started.wait(timeout=60) == 0
        (tmp_path / "go").touch()
        assert started.stdout.read() == b"now\nlate\n"


def test_no_process_is_left_after_the_end():
    mark = f"dpkb-test-{os.getpid()}-{time.monotonic_ns()}".encode()
    env = {**os.environb, b"MARK": mark}
    subprocess.run([sys.executable, "-m", "dpkb", "run", "--", "true"], env=env, check=True)
    wait_until(lambda: not any(mark in _environ(pid) for pid in os.listdir("/proc") if pid.isdigit()))


def _environ(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def test_a_slow_reader_loses_no_output():
    read, write = os.pipe()
    os.set_blocking(write, False)
    command = [sys.executable, "-m", "dpkb", "run", "--", sys.executable, "-c", "print('x' * 3_000_000)"]
    with subprocess.Popen(command, stdout=write) as started, open(read, "rb") as reader:
        wait_until(lambda: not select.select([], [write], [], 0)[1])  # the pipe is full
        os.close(write)
        assert len(reader.read()) == 3_000_001
    assert started.returncode == 0
