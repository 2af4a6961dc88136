"""Entries, scripts, evidence and questions that try to do harm: one clear line each, nothing else breaks."""

import contextlib
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ENTRY, ROOT, SEARCH, fuzz, write_catalogue

from dpkb.diagnosis import log as logs
from dpkb.patterns import matching
from dpkb.search import tokens
from dpkb.text import escape_controls

GOOD = ENTRY.format(id="ZZ2", shows="wrong-result", extra="", symptom="It is there.")


def with_line(old, new, text=GOOD):
    """The good entry, or another text, with one line changed."""
    assert old in text
    return text.replace(old, new, 1).encode()


def with_signature(pattern):
    """The good search words with a signature."""
    return with_line("signatures: []", f"signatures: [{{match: '{pattern}'}}]", SEARCH)


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20)
)
# The name of an entry's file, what is in it, and what `dpkb check` says of it.
FILES = {
    "bomb.md": (f"---\n{BOMB}---\n".encode(), "anchors and aliases are not allowed"),
    "merge.md": (with_line("see_also: []", "see_also: &a []\nx: {<<: *a}"), "anchors and aliases"),
    # libyaml itself stops here in newer builds: "maximum nesting depth".
    "deep.md": (b"---\na: " + b"[" * 60_000 + b"\n---\n", "nest"),
    "deep_block.md": (
        b"---\n" + b"".join(b" " * i + b"a:\n" for i in range(400)) + b"---\n",
        "nested too deeply",
    ),
    "twice.md": (with_line("title:", "title: again\ntitle:"), "occurs twice"),
    "latin1.md": (with_line("It is there.", "caf\u00e9").decode().encode("latin-1"), "not UTF-8 at byte"),
    "utf16.md": (GOOD.encode("utf-16"), "not UTF-8 at byte 0"),
    "half.md": (with_line("title: A failure made", 'title: "\\ud800"\n#'), "invalid Unicode character"),
    "escape.md": (with_line("title: A", "title: \x1b[2J A"), "not valid YAML"),
    "object.md": (with_line("title: A", "title: !!python/object/apply:os.system [id]\n#"), "must be text"),
    "climbs.md": (with_line("  broken:", "  ../../x:\n    claim: x\n  broken:"), "a script is broken, fixed"),
    "absolute.md": (with_line("  broken:", "  /etc/passwd:\n    claim: x\n  broken:"), "a script is broken"),
    "ahead.search.yaml": (with_signature("(?=a)b"), "RE2"),
    "back.search.yaml": (with_signature("(a)\\1"), "RE2"),
    "vast.search.yaml": (with_signature("((\\pL{99}){99}){99}"), "RE2"),
    "quoted.search.yaml": (with_signature("\\Qx"), "RE2"),
    "empty.md": (b"", "the first line must be"),
    "zeros.md": (b"\0" * 5000, "the first line must be"),
    "odd_key.md": (with_line("id:", '"\\e]0;x\\a\u202e": 1\nid:'), "unknown key"),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A catalogue with one good entry, and many kinds of hostile files beside it."""
    folder = write_catalogue(tmp_path_factory.mktemp("hostile"), entry_id="ZZ1")
    kb = folder / "kb"
    for name, (content, _) in FILES.items():
        (kb / name).write_bytes(content)
        for missing, text in ((".md", GOOD), (".search.yaml", SEARCH)):
            beside = kb / (name.split(".")[0] + missing)
            if not beside.exists():
                beside.write_text(text)
    with (kb / "sparse.md").open("wb") as file:
        file.truncate(100_000_000)
    (folder.parent / f"{folder.name}-secret.txt").write_text(GOOD)
    (kb / "out.md").symlink_to(folder.parent / f"{folder.name}-secret.txt")
    (kb / "self.md").symlink_to("self.md")
    (kb / "nowhere.md").symlink_to("nothing_there")
    (kb / "zero.md").symlink_to("/dev/zero")
    (kb / "folder.md").mkdir()
    os.mkfifo(kb / "pipe.md")
    with contextlib.suppress(OSError):  # macOS keeps no such name
        (kb / os.fsdecode(b"\xff\xfe.md")).write_bytes(b"")
    return folder


SPECIAL = {
    "sparse.md": "larger than 100,000 bytes",
    "out.md": "leads out",
    "self.md": "leads out",
    "nowhere.md": "leads out",
    "zero.md": "leads out",
    "folder.md": "cannot be read",
    "pipe.md": "not a regular file",
}


def test_check_has_a_clear_line_for_each_hostile_file(dpkb_in_process, hostile):
    done = dpkb_in_process("check", "--kb", hostile)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert_plain(done.stdout)
    lines = done.stdout.splitlines()
    for name, says in {**{name: says for name, (_, says) in FILES.items()}, **SPECIAL}.items():
        own = [line for line in lines if f"kb/{name}:" in line]
        assert any(says in line for line in own), (name, own)


def assert_plain(text):
    """Assert that the text cannot move the cursor, set a title, or reorder what is read."""
    assert escape_controls(text) == text


def test_the_other_entries_are_served(dpkb_in_process, hostile):
    for command in (
        ["list"],
        ["search", "failure made for a test"],
        ["show", "ZZ1"],
        ["search", "failure made for a test", "--json"],
    ):
        done = dpkb_in_process(*command, "--kb", hostile)
        assert done.returncode == 0 and "ZZ1" in done.stdout, done.stderr
        assert len(done.stderr.splitlines()) <= 1 and "Traceback" not in done.stderr
    log = hostile / "log"
    log.write_text("RuntimeError: DataLoader worker (pid 42) is killed by signal: Bus error.\n")
    assert dpkb_in_process("diagnose", log, "--kb", hostile).stdout.startswith("DP15 ")


def scripts_of(folder):
    return folder / "reproducers" / "zz1_made"


def link_to_a_file(folder):
    (folder.parent / "evil.py").write_text("print(1)")
    (scripts_of(folder) / "broken.py").symlink_to(folder.parent / "evil.py")


def link_to_the_folder(folder):
    scripts_of(folder).rename(folder.parent / "elsewhere")
    scripts_of(folder).symlink_to(folder.parent / "elsewhere")
    (scripts_of(folder) / "broken.py").write_text("print(1)")


def link_of_all(folder):
    scripts_of(folder).parent.rename(folder.parent / "elsewhere")
    scripts_of(folder).parent.symlink_to(folder.parent / "elsewhere")
    (scripts_of(folder) / "broken.py").write_text("print(1)")


def link_beside(folder):
    (folder / "kb" / "evil.py").write_text("print(1)")
    (scripts_of(folder) / "broken.py").symlink_to("../../kb/evil.py")


def content(data):
    return lambda folder: (scripts_of(folder) / "broken.py").write_bytes(data)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (link_to_a_file, "leads out"),
        (link_to_the_folder, "leads out"),
        (link_of_all, "leads out"),
        (link_beside, "leads out"),
        (lambda folder: os.mkfifo(scripts_of(folder) / "broken.py"), "not a regular file"),
        (lambda folder: (scripts_of(folder) / "broken.py").symlink_to("/dev/zero"), "leads out"),
        (lambda folder: (scripts_of(folder) / "broken.py").mkdir(), "cannot be read"),
        (content(b"x = 1\n" * 100_000), "larger than 20,000 bytes"),
        (content(b"\xff"), "not UTF-8 at byte 0"),
        (content(b"x = " + b"-" * 15_000 + b"1"), "nested too deeply"),
        (content(b"x = " + b"(" * 9000), "nested"),
        (content(b"\0"), "null byte"),
        (lambda folder: None, "cannot be read"),
    ],
    ids=[
        "link",
        "folder",
        "all",
        "beside",
        "pipe",
        "zero",
        "is_folder",
        "large",
        "latin1",
        "minus",
        "parens",
        "nul",
        "missing",
    ],
)
def test_a_hostile_script_is_one_clear_line_and_never_runs(dpkb_in_process, catalogue, make, says):
    folder = catalogue()
    (scripts_of(folder) / "broken.py").unlink()
    make(folder)
    for command, code in (
        (["check"], 1),
        (["repro", "ZZ1", "--trust"], 2),
        (["verify", "ZZ1", "--trust"], 2),
    ):
        done = dpkb_in_process(*command, "--kb", folder)
        assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
        output = done.stdout.splitlines() if command == ["check"] else done.stderr.splitlines()
        assert any("broken" in line and says in line for line in output), (command, output)
        assert command == ["check"] or len(output) == 1


def test_any_change_of_a_file_that_may_run_ends_trust(catalogue, tmp_path):
    """A link could later point to another file, without a new question; so a link is never trusted."""
    folder = catalogue()
    env = {"DPKB_STATE_DIR": str(tmp_path / "state")}
    code = (
        "import sys; from pathlib import Path; from dpkb.runner import trust; "
        "print(trust.%s(Path(sys.argv[1])))"
    )
    recording = [sys.executable, "-c", code % "record_trust", str(folder)]
    asked = [sys.executable, "-c", code % "is_trusted", str(folder)]

    def answer(command):
        return subprocess.run(
            command, env={**os.environ, **env}, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert (answer(asked), answer(recording), answer(asked)) == ("False", "None", "True")
    (scripts_of(folder) / os.fsdecode(b"\xff.txt")).write_bytes(b"")
    assert answer(asked) == "False"
    (tmp_path / "state" / "trusted.json").write_text("[" * 100_000)
    assert answer(asked) == "False"


def test_what_a_catalogue_says_cannot_steer_the_terminal(dpkb_in_process, catalogue):
    evil = "\\e]0;evil\\a \\x9b2J \\u202e \\U000e0041 [bold red]x[/] [link=http://x]y[/link] z[/b]"
    folder = catalogue(
        entry=ENTRY.format(id="ZZ1", shows="wrong-result", extra="", symptom="A \x1b[2J \u202e")
        .replace("title: A failure made for a test", f'title: "Evil {evil}"')
        .replace("claim: it fails", f'claim: "{evil}"')
    )
    script = scripts_of(folder) / "broken.py"
    script.write_text(script.read_text() + "# \x1b]0;evil\a \x9b2J \u202e \U000e0041 [bold red]x[/]\n")
    for command in (
        ["list"],
        ["show", "ZZ1"],
        ["search", "evil"],
        ["diff", "ZZ1"],
        ["show", "1X"],
        ["check"],
        ["show", "ZZ1", "--json"],
        ["list", "--json"],
    ):
        done = dpkb_in_process(*command, "--kb", folder, env={"FORCE_COLOR": ""})
        assert_plain(done.stdout + done.stderr)
        assert "Traceback" not in done.stderr
        if command in (["list"], ["search", "evil"], ["show", "ZZ1"]):
            # rich must not take it for markup: an end tag without a start tag would raise.
            assert "[boldred]x[/][link=http://x]y[/link]z[/b]" in "".join(done.stdout.split()), command


def test_a_link_to_itself_and_a_missing_working_folder_are_not_reported_as_bugs(tmp_path, dpkb_in_process):
    (tmp_path / "loop").symlink_to("loop")
    done = dpkb_in_process("list", "--kb", tmp_path / "loop")
    assert done.returncode == 2 and "is not a catalogue" in done.stderr and "Traceback" not in done.stderr
    (tmp_path / "gone").mkdir()
    shell = (
        f"cd {tmp_path}/gone && rmdir {tmp_path}/gone && {sys.executable} -c "
        f"'from dpkb.cli.main import main; main()' show DP15"
    )
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "DP15" in done.stdout, done.stderr


# -- mistakes that fuzzing found, each with its smallest input ---------------------------------------


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"costs 5\$", "costs 5$"),
        ("^a|b$", "[rank0]: a"),
        ("x.y", "x\u00e9y"),
        (r"\x{1f525}", "\U0001f525"),
        (r"[^a-z ]$", "\u589e"),
        (r"^*a", "ba"),
        (r"[$^]", "a^"),
        (r"\Q$\E", "1$"),
        (r"a\z", "a\nb"),
        ("[]$]x", "$x"),
        (r"(?i)\Aabc", "[rank0]: ABC"),
    ],
)
def test_a_filter_finds_everything_that_a_pattern_matches(pattern, line):
    # The prefixes of launchers are removed before the pattern itself is tried.
    assert matching.has_match(pattern, logs.remove_prefix(line).split("\n")[0])
    together = matching.PatternFilter(["Bus error", pattern])
    assert together.find(line.encode(), 0) is not None
    assert together.find(b"nothing of it", 0) is None


def test_patterns_too_large_for_one_set_are_split():
    # Few of them: compiling a set that is too large is slow.
    wanted = [rf"a{i}(?:\pL{{10}}){{5}}" for i in range(80)]
    several, anywhere = matching.PatternSet(wanted[:24]), matching.PatternFilter(wanted)
    assert len(several._groups) > 1 and len(anywhere._groups) > 1
    assert several.matches("x a23" + "b" * 50) == [23]
    assert anywhere.find(b"x a79" + b"b" * 50, 0) == 2
    assert several.matches("none") == [] and anywhere.find(b"none", 0) is None


# -- fuzzing: a few seconds of `python -m tests.support.fuzz` ---------------------------------------


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_fuzzing_finds_nothing(target):
    findings = []
    inputs = {"terms": 400, "query": 40, "entry": 40, "scripts": 40, "evidence": 40}.get(target, 300)
    tally = fuzz.run_target(target, inputs, seed=20, print_finding=findings.append)
    assert tally.inputs == inputs and not tally.findings, findings


quick = settings(max_examples=150, deadline=None, derandomize=True)


@quick
@given(st.text())
def test_any_question_has_terms(text):
    found = tokens.split_question(text)
    assert all(found) and len(set(found)) == len(found)
    assert_plain(escape_controls(text))


def test_the_fuzzing_command_counts_its_findings():
    command = [
        sys.executable,
        "-m",
        "tests.support.fuzz",
        "--inputs",
        "300",
        "--only",
        "terms",
        "--only",
        "frontmatter",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 findings" in done.stdout.splitlines()[-1]
