"""On every kind of terminal, pipe and file: the same words, the right exit code."""

import codecs
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from support import ROOT, SEARCH, write_catalogue
from support.small_dpkb import small_dpkb

from dpkb.text import replace_with_ascii

codecs.register_error("dpkb", replace_with_ascii)

LOOKUPS = [
    ["search", "bus error"],
    ["show", "DP15", "--all"],
    ["list"],
    ["diff", "DP1"],
    ["diagnose", "LOG"],
    ["matrix"],
    ["--help"],
]
LOG = "RuntimeError: DataLoader worker (pid 42) is killed by signal: Bus error.\n"
NOWHERE = {"DPKB_CACHE_DIR": "", "DPKB_STATE_DIR": "", "XDG_CACHE_HOME": "relative"}
BARE = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING", "TERM", "LC_ALL", "LANG")
COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


# Runs all lookups one after the other in one process.
ONE_BY_ONE = """
import json, sys
sys.path.insert(0, sys.argv[2])
from support import patch_to_parse_own_entries_once
from dpkb.cli import main
patch_to_parse_own_entries_once().start()
main.open_streams()
for words in json.loads(sys.argv[1]):
    code = main.run_command_line(words)
    sys.stdout.write(f"{chr(0)}{code}{chr(0)}")
    sys.stdout.flush()
"""


def lookups(folder, env):
    """Run all lookups with these variables. Returns command line -> output."""
    log = folder / "log"
    log.write_text(LOG)
    here = folder / "empty"
    here.mkdir(exist_ok=True)
    asked = json.dumps([[str(log) if word == "LOG" else word for word in words] for words in LOOKUPS])
    kept = {key: value for key, value in os.environ.items() if key not in BARE}
    command = [sys.executable, "-c", ONE_BY_ONE, asked, ROOT / "tests"]
    done = subprocess.run(
        command, capture_output=True, check=False, cwd=here, stdin=subprocess.DEVNULL, env={**kept, **env}
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    *fields, rest = done.stdout.split(b"\0")
    assert not rest and fields[1::2] == [b"0"] * len(LOOKUPS)
    assert not list(here.iterdir())
    return {" ".join(words): text for words, text in zip(LOOKUPS, fields[::2], strict=True)}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return lookups(tmp_path_factory.mktemp("usual"), {"PYTHONIOENCODING": "utf-8"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("env", "encoding"),
    [
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "ascii"),
        ({"PYTHONIOENCODING": "latin-1", "HOME": "/etc/passwd", **NOWHERE}, "latin-1"),
        ({"TERM": "dumb", "FORCE_COLOR": "1", "HOME": "/nonexistent", **NOWHERE}, "utf-8"),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm", "TMPDIR": "/nonexistent"}, "utf-8"),
        ({"TERM": "", "COLUMNS": "wide", "HOME": "", **NOWHERE}, "utf-8"),
        ({"TERM": "unheard-of", "COLUMNS": "0", "HOME": "/proc", **NOWHERE}, "utf-8"),
    ],
    ids=str,
)
def test_the_words_are_the_same_on_every_kind_of_terminal(usual, tmp_path, env, encoding):
    if encoding == "utf-8":
        env = {**env, "PYTHONIOENCODING": "utf-8"}
    for words, output in lookups(tmp_path, env).items():
        assert output == usual[words].decode().encode(encoding, "dpkb"), words


def test_replaced_marks_keep_the_width_of_columns(usual):
    """No \\u2713 in a table: each mark that dpkb itself writes has a letter of its width."""
    for output in usual.values():
        text = output.decode()
        in_ascii_only = text.encode("ascii", "dpkb").decode()
        assert [len(line) for line in in_ascii_only.split("\n")] == [len(line) for line in text.split("\n")]


def test_a_narrow_window_cuts_nothing_off(usual, tmp_path):
    narrow = lookups(tmp_path, {"COLUMNS": "40", "PYTHONIOENCODING": "utf-8"})
    assert "".join(narrow["list"].decode().split()) == "".join(usual["list"].decode().split())
    page = "".join(narrow["show DP15 --all"].decode().split())
    assert [word for word in usual["show DP15 --all"].decode().split() if word not in page] == []
    assert narrow["matrix"].count("✓".encode()) == usual["matrix"].count("✓".encode())
    for words in ("list", "matrix"):
        # Titles may have such a mark; a cell that is cut off would add one.
        assert narrow[words].decode().count("…") == usual[words].decode().count("…")
        assert max(map(len, narrow[words].decode().split("\n"))) <= 40, words
    versions = [set(re.findall(r"\d+\.\d+\.\d+", output["matrix"].decode())) for output in (narrow, usual)]
    assert versions[0] == versions[1]


def test_a_window_of_one_column_gets_every_word(dpkb_in_process):
    for command in ("list", "matrix"):
        output = dpkb_in_process(command, env={"COLUMNS": "1"}).stdout
        for word in {"list": ["strict=False", "DP15"], "matrix": ["2.15.0", "DP15"]}[command]:
            assert word in "".join(output.split()), command


OBSERVES = """
    import json, sys
    copies = [[1, 2, 3, 4, 5, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2, 1]]  # BUG: made for a test
    print("OBSERVED", json.dumps({"healthy": False, "copies_by_start_method_and_sample": copies,
                                  "path": "a" * 70}))
    sys.exit(1)
"""


def test_a_narrow_window_has_every_verdict_and_every_cell(dpkb, tmp_path):
    folder = write_catalogue(tmp_path / "catalogue", broken=OBSERVES)
    env = {"COLUMNS": "40", "PYTHONIOENCODING": "utf-8"}
    done = dpkb("verify", "ZZ1", "--kb", folder, "--trust", "--cold", env=env)
    assert done.returncode == 0, done.stderr
    rows = [line.split()[:3] for line in done.stdout.split("\n")]
    assert ["ZZ1", "broken", "confirmed"] in rows and ["ZZ1", "fixed", "confirmed"] in rows
    done = dpkb("repro", "ZZ1", "--kb", folder, "--trust", env=env)
    assert done.returncode == 0, done.stderr
    table = done.stdout.partition("equal cells")[2]
    assert [name for name in re.findall(r"sample \d", table)] == [f"sample {n}" for n in range(8)]
    assert "…" not in done.stdout and done.stdout.count("a") > 70


# -- who reads, and who is gone ---------------------------------------------------------------------


def shell(command, folder):
    """dpkb in a shell, with its own exit code. Its catalogue is that of this folder."""
    text = f"{' '.join(small_dpkb(folder / 'own'))} {command}; exit ${{PIPESTATUS[0]}}"
    return subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


# A command line, its exit code, and how its output begins.
COMMANDS = [
    ("search failure made for a test", 0, "YY1 "),
    ("search zzzqqq", 1, "Nothing"),
    ("search x --kb nowhere", 2, ""),
    ("diagnose log", 0, "YY1 "),
    ("diagnose", 1, "No entry of the catalogue"),
    ("run -- sh -c 'echo hello; exit 3'", 3, "hello"),
    ("verify ZZ1 --kb right --trust --cold", 0, "entry "),
    ("repro ZZ1 --kb wrong --trust", 1, "ZZ1 broken.py"),
]
each_command = pytest.mark.parametrize(("command", "code", "begins"), COMMANDS)
needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture
def folder(tmp_path):
    """A log, the catalogue `own`, the catalogue `right`, and `wrong`, whose broken script is healthy."""
    (tmp_path / "log").write_text(LOG)
    write_catalogue(tmp_path / "own", "YY1", search=SEARCH.replace("[]", "[{match: 'signal: Bus error'}]"))
    write_catalogue(tmp_path / "right")
    scripts = write_catalogue(tmp_path / "wrong") / "reproducers/zz1_made"
    (scripts / "broken.py").write_text((scripts / "fixed.py").read_text().replace("FIX", "BUG"))
    return tmp_path


@pytest.mark.slow
@each_command
@pytest.mark.parametrize(
    "streams",
    [
        "<&-",
        "2>&-",
        "2> >(true)",
        pytest.param("2>/dev/full", marks=needs_full_device),
    ],
)
def test_without_its_other_streams_the_output_is_complete(folder, command, code, begins, streams):
    done = shell(f"{command} {streams}", folder)
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(begins), done.stdout
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr


@pytest.mark.slow
@each_command
@pytest.mark.parametrize("streams", [">&-", "<&- >&- 2>&-"])
def test_without_standard_output_the_exit_code_is_the_same(folder, command, code, begins, streams):
    done = shell(f"{command} {streams}", folder)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr


@pytest.mark.slow
@each_command
@pytest.mark.parametrize("reader", ["head -n 1", "true"])
def test_a_reader_that_ends_early_is_no_error(folder, command, code, begins, reader):
    """The reader may end before or after dpkb writes, so two exit codes are right."""
    done = shell(f"{command} | {reader}", folder)
    assert done.returncode in (code, 141), done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr


def test_the_working_folder_may_be_gone(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    (tmp_path / "gone").mkdir()
    for command, says in (
        ("list", "DP15"),
        ("search 'bus error'", "DP15"),
        ("show DP1", "DP1"),
        (f"verify ZZ1 --kb {folder} --trust --cold", "2 confirmed"),
        (f"new ZZ2 slug_two --kb {folder}", "zz2_slug_two.md"),
    ):
        text = f"mkdir -p gone; cd gone; rmdir ../gone; {sys.executable} -m dpkb {command}"
        done = subprocess.run(["bash", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and says in done.stdout, (command, done.stderr)


# -- a real terminal --------------------------------------------------------------------------------


def in_a_terminal(words, columns, env):
    """What dpkb writes to a terminal with this many columns."""
    kept = {key: value for key, value in os.environ.items() if key not in BARE}
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "dpkb", *words],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**kept, "PYTHONIOENCODING": "utf-8", **env},
    ) as process:
        os.close(follower)
        output = b""
        while True:
            try:
                output += os.read(leader, 65536)
            except OSError:  # the last writer is gone
                break
        os.close(leader)
    assert process.returncode == 0, output
    return output.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
    ids=str,
)
def test_a_terminal_of_40_columns(env, coloured):
    """The width of the terminal counts, and NO_COLOR and TERM decide about colour."""
    for words in (["list"], ["matrix"], ["search", "bus error"]):
        output = in_a_terminal(words, 40, env)
        assert ("\x1b" in output) is coloured, words
        if words[0] != "search":
            assert max(map(len, COLOUR.sub("", output).split("\n"))) <= 40, words


def test_progress_on_a_terminal_leaves_no_trace_in_the_table(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue")
    words = ["verify", "ZZ1", "--kb", str(folder), "--trust", "--cold"]
    output = COLOUR.sub("", in_a_terminal(words, 60, {"TERM": "xterm-256color"}))
    assert ["ZZ1", "broken", "confirmed"] in [line.split()[:3] for line in output.split("\n")]
    plain = in_a_terminal(words, 60, {"TERM": "dumb", "NO_COLOR": "1"})
    assert "\x1b" not in plain and json.dumps(plain).count("confirmed") >= 3


@pytest.mark.parametrize(("columns", "says"), [(0, 59), (100, 59), (60, 59), (40, 39), (20, 19)])
def test_what_takes_long_says_so_on_a_terminal_and_is_gone_at_its_end(tmp_path, columns, says):
    """The process waits as a command does that reads for three seconds."""
    waits = "from dpkb.cli.app import show_waiting\nwith show_waiting('reading'): time.sleep(3.5)"
    code = f"import sys, time\n{waits}\nprint('done')"
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    subprocess.run([sys.executable, "-c", code], stdout=follower, stderr=follower, check=True)
    os.close(follower)
    seen = os.read(leader, 65536).decode()
    os.close(leader)
    assert "\rdpkb: reading, 2 s"[: says + 2] in seen and re.search(rf"\r {{{says}}}\rdone", seen), seen
    # A line as wide as the window would leave another one behind.
    assert columns == 0 or max(map(len, re.split(r"[\r\n]", seen))) < columns
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (piped.stdout, piped.stderr) == (b"done\n", b"")
