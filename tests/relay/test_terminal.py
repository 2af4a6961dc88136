"""dpkb run in a terminal, compared with the bare command: the same screen, the same reactions to keys."""

import fcntl
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import textwrap
import time
from pathlib import Path

import pytest
from support.waiting import wait_until

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("bash"), reason="compares under bash on Linux"
)
WRAPPED = f"{sys.executable} -m dpkb run --"
PROMPT = b"PROMPT> "
# How long to wait for a text on the screen; the machine may be under load.
SECONDS = 120
# What dpkb adds when the command has failed.
ADDED = re.compile(
    r"(dpkb: [^\r]*left out[^\r]*\r\n)?"
    r"\r\ndpkb: [^\r]* Diagnosis of.*?search WORDS(\x1b\[0m)?\r\n",
    re.DOTALL,
)
# Signal handlers write with os.write: a signal may arrive within print, which cannot be entered twice.
PROGRAMS = {
    "keys.py": """
        import sys, termios, tty
        before = termios.tcgetattr(0)
        tty.setraw(0)
        print("raw", end="\\r\\n", flush=True)
        keys = [sys.stdin.buffer.raw.read(1) for _ in range(3)]
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        print(keys)
    """,
    "sizes.py": """
        import os, signal, sys
        def show(*_):
            os.write(1, b"%s\\n" % str(os.get_terminal_size(1)).encode())
        signal.signal(signal.SIGWINCH, show)
        show()
        for _ in range(2):
            signal.pause()
    """,
    "asks.py": """
        import getpass
        name = input("name? ")
        secret = getpass.getpass("secret? ")
        print("hello", name, len(secret))
    """,
    "interrupted.py": """
        import os, signal, time
        count = 0
        def interrupted(*_):
            global count
            count += 1
            os.write(1, b"interrupt %d\\n" % count)
        signal.signal(signal.SIGINT, interrupted)
        print("ready", flush=True)
        while count < 2:
            time.sleep(0.05)
    """,
    "reads.py": """
        import os, select, signal
        signal.signal(signal.SIGCONT, lambda *_: os.write(1, b"continued\\n"))
        print("ready", flush=True)
        # The handler of a signal that comes just before input() reads would wait for a key.
        while not select.select([0], [], [], 0.05)[0]:
            pass
        print("read", input())
    """,
    "what.py": """
        import os, sys
        print([os.isatty(fd) for fd in (0, 1, 2)], sys.stdout.encoding, sys.stdout.line_buffering)
        print(os.open("/dev/tty", os.O_RDWR) > 2, os.tcgetpgrp(0) == os.getpgrp())
    """,
}


class Screen:
    """What was written to a terminal, and its keyboard."""

    def __init__(self, master):
        self.master = master
        self.screen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.master, keys.encode())

    def until(self, text, count=1):
        """Read until the text has appeared this many times."""
        self._read_while(lambda: self.screen.count(text) < count)

    def until_end(self, text):
        """Read until the screen ends with the text."""
        self._read_while(lambda: not self.screen.endswith(text))

    def _read_while(self, condition):
        deadline = time.monotonic() + SECONDS
        while condition():
            assert time.monotonic() < deadline, self.screen
            if select.select([self.master], [], [], 0.2)[0]:
                self.screen += os.read(self.master, 65536)


class Terminal(Screen):
    """bash in a new terminal, 100 columns wide."""

    def __init__(self, folder, prefix):
        master, slave = os.openpty()
        super().__init__(master)
        self.resize(30, 100)
        (folder / "inputrc").write_text("set enable-bracketed-paste off\n")
        env = {
            **os.environ,
            "R": prefix,
            "PS1": PROMPT.decode(),
            "TERM": "xterm",
            "PY": sys.executable,
            "INPUTRC": str(folder / "inputrc"),
        }
        bash = ["setsid", "--ctty", "bash", "--norc", "--noprofile", "-i"]
        self.process = subprocess.Popen(bash, cwd=folder, stdin=slave, stdout=slave, stderr=slave, env=env)
        os.close(slave)
        self.until(PROMPT)

    def close(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.master)


# Keys for the command are typed only when it is running and says so: before that, bash has the terminal, in
# a mode in which Enter ends no line and Ctrl-C reaches bash.
SLEEPS, READY = "sh -c 'echo ready; exec sleep 300'", b"\nready\r\n"
# Waits for a line in a named pipe without starting a process: if Ctrl-Z arrives between vfork and exec, the
# shell is not stopped.
WAITS = "read x < go"
# Steps: the keys to type, and the text that must appear before the next keys, since the mode of the terminal
# may change in between. A step without keys waits until the screen ends with its text.
CASES = {
    "prints": [("$R echo hello\r", PROMPT)],
    "what the streams are": [("$R $PY what.py\r", PROMPT)],
    "what the streams are when one is a pipe": [("$R $PY what.py | cat\r", PROMPT)],
    "what the streams are when errors go to a file": [("$R $PY what.py 2> f\r", PROMPT)],
    "what the streams are without standard input": [("$R $PY what.py < /dev/null\r", PROMPT)],
    "colours": [("$R ls --color=auto -d / .\r", PROMPT)],
    "settings": [("$R stty -a\r", PROMPT)],
    "settings afterwards": [("$R true; stty -a\r", PROMPT)],
    "size": [("$R stty size; $R sh -c 'stty size <&1'\r", PROMPT)],
    "a progress bar": [("$R printf '10%%\\r20%%\\r\\033[K30%%\\n'\r", PROMPT)],
    "both streams": [("$R sh -c 'for i in 1 2 3; do echo o$i; echo e$i >&2; done'\r", PROMPT)],
    "a question": [("$R $PY asks.py\r", b"name? "), ("me\r", b"secret? "), ("12345\r", PROMPT)],
    "an end of input": [
        ("$R sh -c 'echo ready; exec cat'\r", READY),
        ("line\r", b"line\r\nline\r\n"),
        ("\x04", PROMPT),
    ],
    "raw keys": [("$R $PY keys.py\r", b"raw\r\n"), ("a\x03\r", PROMPT)],
    "Ctrl-C": [(f"$R {SLEEPS}; echo code $?\r", READY), ("\x03", PROMPT)],
    "Ctrl-C that is caught": [
        ("$R $PY interrupted.py\r", READY),
        ("\x03", b"interrupt 1"),
        ("\x03", b"interrupt 2"),
        ("", PROMPT),
    ],
    "Ctrl-\\": [(f"ulimit -c 0; $R {SLEEPS}\r", READY), ("\x1c", PROMPT)],
    "Ctrl-Z and fg": [
        ("$R $PY reads.py\r", READY),
        ("\x1a", PROMPT),
        ("fg > /dev/null\r", b"continued\r\n"),
        ("text\r", b"read text"),
        ("", PROMPT),
    ],
    "Ctrl-Z and settings": [
        ("$R $PY reads.py\r", READY),
        ("\x1a", PROMPT),
        ("stty -a | tail -n 3\r", PROMPT),
    ],
    "Ctrl-Z in the background": [
        (f"$R sh -c 'echo ready; {WAITS}; echo late'\r", READY),
        ("\x1a", PROMPT),
        ("bg > /dev/null; echo > go; wait %1; echo code $?\r", PROMPT),
    ],
    "from the background": [(f"$R sh -c '{WAITS}; echo there' & echo > go; wait %1; echo code $?\r", PROMPT)],
    "a job that reads in the background": [
        (
            "$R cat & until jobs -s | grep -q Stop; do sleep 0.1; done; kill -9 %1; wait %1 2> /dev/null\r",
            PROMPT,
        )
    ],
    "a prompt of a shell": [
        ('$R bash --norc --noprofile -c \'read -p "q"": " x; echo $x\'\r', b"q: "),
        ("y\r", PROMPT),
    ],
    "an exit code": [("$R sh -c 'exit 7' 2> /dev/null; echo code $?\r", PROMPT)],
    "in a loop": [("for i in 1 2 3; do $R echo $i; done\r", PROMPT)],
    "a loop is ended by Ctrl-C": [
        (f"for i in 1 2 3; do $R {SLEEPS}; done; echo no\r", READY),
        ("\x03", PROMPT),
    ],
    "much output": [("$R seq 30000 | tail -n 1; $R seq 3000\r", PROMPT)],
    "background output after the end": [
        (f"$R sh -c '({WAITS}; echo late) & echo now'; echo > go; read x\r", b"late\r\n"),
        ("\r", PROMPT),
    ],
}


def write_programs(folder):
    for name, text in PROGRAMS.items():
        (folder / name).write_text(textwrap.dedent(text))
    os.mkfifo(folder / "go")


def play(folder, prefix, steps):
    folder.mkdir()
    write_programs(folder)
    terminal = Terminal(folder, prefix)
    try:
        for keys, text in steps:
            before = terminal.screen.count(text)
            terminal.type(keys)
            if keys:
                terminal.until(text, before + 1)
            else:
                terminal.until_end(text)
        screen = terminal.screen.decode(errors="replace")
    finally:
        terminal.close()
    screen = ADDED.sub("", screen.replace(str(folder), "FOLDER"))
    # bash prints this if the job ended before `wait` ran.
    screen = re.sub(r"^\[1\]\+  Done.*\n", "", screen, flags=re.MULTILINE)
    return re.sub(r"^\[1\] \d+", "[1] PID", screen, flags=re.MULTILINE)


@pytest.mark.parametrize("name", CASES)
def test_the_screen_is_the_same_as_without_dpkb(tmp_path, name):
    bare = play(tmp_path / "bare", "", CASES[name])
    assert play(tmp_path / "with", WRAPPED, CASES[name]) == bare


@pytest.fixture
def open_terminal(tmp_path):
    """Opens a terminal in a folder with the programs."""
    terminals = []

    def open_it(prefix):
        write_programs(tmp_path)
        terminals.append(Terminal(tmp_path, prefix))
        return terminals[-1]

    yield open_it
    for terminal in terminals:
        terminal.close()


both = pytest.mark.parametrize("prefix", ["", WRAPPED], ids=["without", "with"])


@both
def test_the_command_sees_the_new_size_of_a_window(open_terminal, prefix):
    terminal = open_terminal(prefix)
    terminal.type("$R $PY sizes.py\r")
    terminal.until(b"columns=100, lines=30")
    terminal.resize(40, 120)
    terminal.until(b"columns=120, lines=40")


def wait_until_taken(pid, number):
    """Until the process has taken the signal: the kernel merges one that is still waiting with the next."""
    status = Path(f"/proc/{pid}/status")
    wait_until(
        lambda: (
            not any(
                int(mask, 16) >> (number - 1) & 1
                for mask in re.findall(r"(?:SigPnd|ShdPnd):\s*(\w+)", status.read_text())
            )
        )
    )


@both
def test_a_signal_for_dpkb_alone_is_forwarded_after_ctrl_c(open_terminal, prefix):
    terminal = open_terminal(prefix)
    terminal.type("$R $PY interrupted.py\r")
    terminal.until(READY)
    terminal.type("\x03")
    terminal.until(b"interrupt 1")
    leader = os.tcgetpgrp(terminal.master)
    wait_until_taken(leader, signal.SIGINT)
    os.kill(leader, signal.SIGINT)
    terminal.until(b"interrupt 2")


@both
def test_ctrl_z_does_not_stop_dpkb_if_no_shell_could_continue_it(tmp_path, prefix):
    """The kernel stops no orphaned process group (ssh -t HOST COMMAND, a container): dpkb goes on as well."""
    write_programs(tmp_path)
    master, slave = os.openpty()
    command = ["setsid", "--ctty", *prefix.split(), sys.executable, "reads.py"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        terminal = Screen(master)
        terminal.until(b"ready\r\n")
        terminal.type("\x1a")
        terminal.until(b"^Z")
        terminal.type("text\r")
        terminal.until(b"read text")
        assert process.wait(60) == 0
    os.close(master)
