"""show, list, diff and new. Mistakes in the command line: tests/cli/test_exit_codes.py."""

import json
import re
import shlex

import pytest
import yaml
from support import ROOT
from support.lint_file import LIST_OF_LAYERS

from dpkb import __version__

README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "COMMANDS.md").read_text(encoding="utf-8")
# Each command of the README whose output is printed below it.
README_EXAMPLES = [
    (command, shown)
    for block in re.findall(r"^```console\n(.*?)^```", README, re.M | re.S)
    for command, shown in re.findall(r"^\$ dpkb (.*)\n((?:[^$].*\n|\n)+)", block, re.M)
]


def test_help_cuts_no_text_at_80_columns(dpkb_in_process):
    from dpkb.cli.main import COMMANDS

    for command in ([], *([name] for name in COMMANDS)):
        done = dpkb_in_process(*command, "--help", env={"COLUMNS": "80"})
        text = done.stdout.replace("[ARGS]...", "")
        assert done.returncode == 0 and "..." not in text, command
        assert max(map(len, text.splitlines())) <= 80


def test_dpkb_alone_fits_a_small_terminal_and_has_every_command(dpkb_in_process):
    from dpkb.cli.main import COMMANDS

    done = dpkb_in_process("help")
    lines = done.stdout.splitlines()
    assert dpkb_in_process().stderr == done.stdout == dpkb_in_process("--help").stdout
    assert len(lines) < 24 and max(map(len, lines)) <= 80
    assert set(COMMANDS) <= set(done.stdout.split())


def test_other_ways_to_ask_lead_to_the_same_answer(dpkb_in_process):
    shown = dpkb_in_process("show", "DP15").stdout
    for question in (["DP15"], ["dp15"], ["explain", "DP15"]):
        assert dpkb_in_process(*question).stdout == shown
    assert dpkb_in_process("help", "lint").stdout == dpkb_in_process("lint", "--help").stdout
    done = dpkb_in_process("bus", "error")
    assert done.returncode == 2 and "dpkb search bus error" in done.stderr


def test_the_shell_completes_commands_and_ids(dpkb):
    def complete(line):
        words = line.split(" ")
        env = {"_DPKB_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        return dpkb(env=env).stdout.split()

    assert complete("dpkb sho") == ["show"]
    assert {"DP1", "DP15"} <= set(complete("dpkb show DP1"))
    assert "dp15" in complete("dpkb diff dp1")


def test_show_prints_an_entry_as_json(dpkb_in_process):
    document = json.loads(dpkb_in_process("show", "DP1", "--json").stdout)
    assert (document["version"], document["id"]) == (1, "DP1")
    assert {"broken", "fixed"} <= set(document["scripts"])


def test_the_title_and_the_summary_are_shown_in_chinese(dpkb_in_process):
    entry = json.loads(dpkb_in_process("show", "DP15", "--json").stdout)
    for option in ([], ["--all"]):
        english = dpkb_in_process("show", "DP15", *option).stdout
        chinese = dpkb_in_process("show", "DP15", "--lang", "zh", *option).stdout.replace("\n", "")
        assert entry["title_zh"] in chinese and entry["summary_zh"] in chinese
        assert "dies of a Bus error" in english and entry["title_zh"] not in english.replace("\n", "")
        assert "dies of a Bus error" not in chinese and "Docker makes it 64 MB" in chinese
    assert "共享内存" in dpkb_in_process("show", "DP", "--lang", "zh").stdout


def test_an_unknown_id_offers_near_ones(dpkb_in_process):
    for command in (["show", "DP51"], ["repro", "DP51"], ["diff", "DP51"], ["verify", "DP51"]):
        done = dpkb_in_process(*command)
        assert done.returncode == 2
        assert "DP15" in done.stderr and "Traceback" not in done.stderr


def test_an_unknown_script_lists_the_scripts_of_the_entry(dpkb_in_process):
    done = dpkb_in_process("repro", "DP1", "--script", "nothing")
    assert done.returncode == 2
    assert "broken, fixed" in done.stderr


def test_list_can_be_filtered(dpkb_in_process):
    document = json.loads(dpkb_in_process("list", "--json").stdout)
    ids = [entry["id"] for entry in document["entries"]]
    assert [i for i in ids if i.startswith("DP")][:3] == ["DP1", "DP2", "DP3"] and len(ids) >= 57
    silent = json.loads(dpkb_in_process("list", "--kind", "silent", "--json").stdout)["entries"]
    assert silent and {entry["kind"] for entry in silent} == {"silent"}
    assert "DP15" in dpkb_in_process("list").stdout
    empty = dpkb_in_process("list", "--family", "N", "--kind", "hangs")
    assert (empty.returncode, empty.stdout) == (1, "") and "`dpkb list` shows every entry" in empty.stderr


def test_list_json_has_the_answer_and_where_it_was_seen(dpkb_in_process):
    listed = json.loads(dpkb_in_process("list", "--json").stdout)["entries"]
    (entry,) = [entry for entry in listed if entry["id"] == "DP1"]
    shown = json.loads(dpkb_in_process("show", "DP1", "--json").stdout)
    assert entry["in_short"] == shown["sections"]["In short"] and "worker_init_fn" in entry["in_short"]
    assert entry["found_by"] == {"lint": "likely", "audit": "certain"}
    assert f"seen on torch {', '.join(entry['recorded']['confirmed'])}" in shown["seen"]
    states = {state for entry in listed for state in entry["recorded"]}
    assert {"confirmed", "not affected"} <= states <= {"confirmed", "not affected", "refuted"}


def test_diff_is_the_fix_with_a_line_of_context(dpkb_in_process):
    done = dpkb_in_process("diff", "DP1")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("--- DP1/broken.py")
    assert any(line.startswith("-") and "# BUG" in line for line in lines[2:])
    assert any(line.startswith("+") and "# FIX" in line for line in lines[2:])
    other = dpkb_in_process("diff", "DP1", "--script", "fix_lazy").stdout.splitlines()
    assert other[1].startswith("+++ DP1/fix_lazy")
    same = dpkb_in_process("diff", "DP1", "--script", "broken")
    assert same.stdout == "" and "have the same code" in same.stderr


def test_new_writes_a_skeleton_that_is_not_yet_an_entry(dpkb_in_process, tmp_path):
    here = tmp_path / "team"
    (here / ".dpkb" / "kb").mkdir(parents=True)
    done = dpkb_in_process("new", "TM1", "some_slug", cwd=here)
    assert done.returncode == 0, done.stderr
    assert ".dpkb/kb/tm1_some_slug.md" in done.stdout
    checked = dpkb_in_process("check", "--kb", here / ".dpkb")
    assert checked.returncode == 1
    for left in ("title: must not be empty", "asked_as: needs at least", "no text below 'Fix'"):
        assert left in checked.stdout
    done = dpkb_in_process("new", "tm2", "some_slug", cwd=here)
    assert done.returncode == 0 and "`dpkb verify TM2`" in done.stderr
    assert (here / ".dpkb/kb/tm2_some_slug.md").read_text().startswith("---\nid: TM2\n")
    again = dpkb_in_process("new", "TM1", "some_slug", cwd=here)
    assert again.returncode == 2 and "TM1 is taken by" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tm", "slug_x"], "is not an id"),
        (["TM1", "Slug"], "is not a slug"),
        (["TM1", "../../x"], "is not a slug"),
        (["DP1", "slug_x"], "is taken by"),
        (["dp-1", "slug_x"], "DP1 is taken by"),
    ],
)
def test_new_refuses_a_wrong_or_existing_name(dpkb_in_process, tmp_path, arguments, says):
    (tmp_path / "c" / "kb").mkdir(parents=True)
    done = dpkb_in_process("new", *arguments, "--kb", tmp_path / "c")
    assert done.returncode == 2
    assert says in done.stderr


def test_the_reference_names_every_command_and_the_readme_is_short():
    from dpkb.cli.main import COMMANDS

    assert [name for name in COMMANDS if f"dpkb {name}" not in REFERENCE] == []
    assert len(README.splitlines()) <= 100


def comparable(text):
    """An output without what differs by machine: the environment and the times."""
    return "".join(re.sub(r"\(\d+\.\d s\)|^torch .*", "", line).rstrip() + "\n" for line in text.splitlines())


def test_the_readme_has_examples_with_output():
    assert [command.split()[0] for command, _ in README_EXAMPLES] == [
        "search",
        "diagnose",
        "lint",
        "repro",
    ]


@pytest.mark.parametrize(("command", "shown"), README_EXAMPLES, ids=[name for name, _ in README_EXAMPLES])
def test_an_example_of_the_readme_is_what_the_command_prints(dpkb_in_process, tmp_path, command, shown):
    (tmp_path / "train.py").write_text(LIST_OF_LAYERS)
    (tmp_path / "train.log").write_text(
        'step 10 loss 2.31\nTraceback (most recent call last):\n  File "train.py", line 41, in <module>\n'
        "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Bus error. It is possible that "
        "dataloader's workers are out of shared memory.\n"
    )
    done = dpkb_in_process(*shlex.split(command), cwd=tmp_path, env={"COLUMNS": "100"})
    # "[…]" stands for any number of lines; all other lines follow each other as in the output.
    pieces = [re.escape(comparable(piece)) for piece in shown.split("[…]\n")]
    assert re.fullmatch(r"(?:.*\n)*?".join(pieces), comparable(done.stdout)), done.stdout


def test_the_readme_says_how_to_lint_a_project(dpkb_in_process, tmp_path):
    (settings,) = re.findall(r"^```toml\n(.*?)^```", REFERENCE, re.M | re.S)
    (tmp_path / "pyproject.toml").write_text(settings)
    (tmp_path / "tests").mkdir()
    for path in ("train.py", "tests/train.py"):
        (tmp_path / path).write_text(LIST_OF_LAYERS)
    shown = dpkb_in_process("lint", cwd=tmp_path).stdout
    assert shown.startswith("train.py:7:9: N3 certain") and "1 finding in 1 of 1 file" in shown
    (comment,) = re.findall(r"`(# dpkb: ignore\[N3\])`", REFERENCE)
    line = LIST_OF_LAYERS.splitlines()[6]
    (tmp_path / "train.py").write_text(LIST_OF_LAYERS.replace(line, f"{line}  {comment}"))
    assert dpkb_in_process("lint", cwd=tmp_path).returncode == 0
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    assert [name for name in (hook["id"], *inputs) if f"`{name}`" not in REFERENCE] == []


def test_the_help_of_lint_says_how_to_silence_a_finding(dpkb_in_process):
    help_text = dpkb_in_process("lint", "--help").stdout
    assert "# dpkb: ignore[DP1]" in help_text and "[tool.dpkb.lint]" in help_text


def test_version_is_printed(dpkb_in_process):
    assert dpkb_in_process("--version").stdout == f"dpkb {__version__}\n"


def test_a_family_has_an_overview(dpkb_in_process):
    done = dpkb_in_process("show", "dp")
    assert "When to suspect it" in done.stdout and "What to run first" in done.stdout
    document = json.loads(dpkb_in_process("show", "N", "--json").stdout)
    of_the_family = sorted(path.name.split("_")[0].upper() for path in (ROOT / "kb").glob("n[0-9]*.md"))
    assert [entry["id"] for entry in document["entries"]] == of_the_family


def test_every_family_has_its_page(dpkb_in_process):
    families = {entry["family"] for entry in json.loads(dpkb_in_process("list", "--json").stdout)["entries"]}
    assert families == {path.stem for path in (ROOT / "kb" / "_families").glob("*.md")}
