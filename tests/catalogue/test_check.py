"""A catalogue with mistakes: one line for each, all of them, and the healthy entries still served."""

import json
import shutil
import subprocess
import sys

import pytest
from support import ENTRY, MESSAGES, ROOT, SEARCH, write_catalogue


def lines(done):
    return [line for line in done.stdout.splitlines() if "zz1_made" in line or "zz2_made" in line]


MISTAKES = [
    ("kb/zz1_made.md", "id: ZZ1", "id: [ZZ1", "kb/zz1_made.md:3: not valid YAML"),
    ("kb/zz1_made.md", "kind: silent", "kind: 3", "kb/zz1_made.md:5: kind: must be text"),
    ("kb/zz1_made.md", "see_also: []", "see_also: [ZZ7]", "kb/zz1_made.md:7: see_also: ZZ7 is not an entry"),
    (
        "kb/zz1_made.md",
        "confused_with: []",
        "confused_with: [{id: ZZ7, check: look}]",
        "kb/zz1_made.md:8: confused_with: ZZ7 is not an entry",
    ),
    ("kb/zz1_made.md", '">=1.8"', '">=1.8", torhc: ">=2"', "a version range of torhc, which no script"),
    ("kb/zz1_made.md", "Look.", "Look at ZZ7.", "the text refers to ZZ7"),
    ("kb/zz1_made.md", "Look.", "Look at `fix_it.py`.", "kb/zz1_made.md:32: the text names fix_it.py"),
    ("kb/zz1_made.md", "scripts:", "scripts:\n  fix_it:\n    claim: also", "fix_it.py: cannot be read"),
    ("reproducers/zz1_made/broken.py", "# BUG", "# Bug", "no `# BUG:` comment"),
    ("reproducers/zz1_made/fixed.py", "# FIX", "# BUG", "no `# FIX:` comment"),
    ("reproducers/zz1_made/fixed.py", "value = 2", "from dpkb import paths", "imports neither dpkb"),
    ("reproducers/zz1_made/fixed.py", "value = 2", "import broken", "imports neither dpkb"),
    ("reproducers/zz1_made/fixed.py", "value = 2", "match 2:\n    case 2: pass", "not Python 3.8"),
    ("reproducers/zz1_made/fixed.py", "value = 2", "value = '" + "x" * 100 + "'", "columns, at most"),
    ("reproducers/zz1_made/fixed.py", "value = 2", "value = 2\n" * 90, "lines, at most 90"),
    ("reproducers/zz1_made/fixed.py", "value = 2", "a = 2\n" * 13, "changes 1"),
    ("reproducers/zz1_made/fixed.py", "sys.exit(0 if healthy else 1)", "sys.exit(0)", "last statement"),
    ("reproducers/zz1_made/fixed.py", '{"healthy": healthy}', '{"healthy": True}', "last but one"),
    ("reproducers/zz1_made/fixed.py", "    healthy = exp", "    healthy = good = exp", "third statement"),
    ("reproducers/zz1_made/broken.py", "ZZ1: a failure", "ZZ2: a failure", "does not start with `ZZ1: `"),
    ("reproducers/zz1_made/broken.py", "Needs:   torch; cpu", "Needs:   torch; moon", "place 'moon'"),
    ("reproducers/zz1_made/broken.py", "about 1 s", "soon", "must end with the time"),
    ("reproducers/zz1_made/broken.py", "Symptom: none\n", "", "no `Symptom:` line"),
]


@pytest.fixture(scope="module")
def report_lines(tmp_path_factory):
    """The output of one `dpkb check` of many catalogues, each of which has one of the mistakes."""
    folder = tmp_path_factory.mktemp("mistakes")
    added = []
    for number, mistake in enumerate(MISTAKES):
        extra = write_catalogue(folder / str(number), entry_id=f"ZZ1{number:02}")
        file, old, new, _ = named(number, mistake)
        text = (extra / file).read_text()
        assert old in text
        (extra / file).write_text(text.replace(old, new, -1 if old.startswith("#") else 1))
        added += ["--kb", str(extra)]
    done = subprocess.run(
        [sys.executable, "-m", "dpkb", "check", *added],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout.splitlines()


def named(number, mistake):
    """A row of MISTAKES with the id of its catalogue, such as ZZ101, in place of ZZ1."""
    return [text.replace("ZZ1", f"ZZ1{number:02}").replace("zz1_", f"zz1{number:02}_") for text in mistake]


@pytest.mark.parametrize("number", range(len(MISTAKES)), ids=[says for *_, says in MISTAKES])
def test_a_mistake_is_reported_in_one_line_with_its_place(report_lines, number):
    *_, says = named(number, MISTAKES[number])
    own = [line for line in report_lines if f"zz1{number:02}_made" in line]
    assert len([line for line in own if says in line]) == 1, own


def test_a_good_catalogue_passes(dpkb_in_process, catalogue):
    done = dpkb_in_process("check", "--kb", catalogue())
    assert (done.returncode, lines(done)) == (0, []), done.stdout


def test_of_several_catalogues_the_named_ones_are_checked(dpkb_in_process, catalogue):
    """But the others are read: an entry may refer to theirs."""
    wrong = catalogue("here/.dpkb", entry_id="ZZ2", symptom="See ZZ7.")
    right = catalogue("right", symptom="See ZZ2 and DP1.")
    done = dpkb_in_process("check", "--kb", right)
    assert done.returncode == 0, done.stdout
    done = dpkb_in_process("check", "--kb", wrong)
    assert done.returncode == 1 and "refers to ZZ7" in done.stdout


def test_only_the_entries_of_the_named_catalogues_are_counted(dpkb_in_process, catalogue, tmp_path):
    (tmp_path / "empty/kb").mkdir(parents=True)
    done = dpkb_in_process("check", "--kb", tmp_path / "empty")
    assert (done.returncode, done.stdout) == (0, "0 entries read, 0 problems\n")
    done = dpkb_in_process("check", "--kb", tmp_path / "empty", "--kb", catalogue())
    assert done.stdout == "1 entry read, 0 problems\n"
    shown = " ".join(dpkb_in_process("check", "--help").stdout.replace("│", " ").split())
    assert "Check only this catalogue" in shown and "Add a catalogue" not in shown


def test_a_gpu_whose_name_has_the_letters_of_a_family_is_no_reference(dpkb_in_process, catalogue):
    done = dpkb_in_process("check", "--kb", catalogue(entry_id="H901", symptom="Run on an H100."))
    assert done.returncode == 0, done.stdout


def test_missing_and_stray_files_are_named(dpkb_in_process, catalogue):
    folder = catalogue()
    scripts = folder / "reproducers" / "zz1_made"
    shutil.move(scripts / "fixed.py", scripts / "stray.py")
    (folder / "reproducers" / "zz2_made").mkdir()
    (folder / "reproducers" / "zz2_made" / "broken.py").write_text("")
    output = "\n".join(lines(dpkb_in_process("check", "--kb", folder)))
    for says in ("fixed.py: cannot be read", "stray.py: a stray script", "zz2_made: a stray folder"):
        assert says in output


def test_a_duplicate_id_names_both_files(dpkb_in_process, catalogue):
    first, second = catalogue("first"), catalogue("second")
    done = dpkb_in_process("check", "--kb", first, "--kb", second)
    assert done.returncode == 1
    duplicates = [line for line in lines(done) if "ids are unique" in line]
    assert str(first) in duplicates[0] and str(second) in duplicates[0]


def test_an_added_catalogue_cannot_take_an_id_of_dpkb(dpkb_in_process, catalogue):
    folder = catalogue(entry_id="DP1")
    done = dpkb_in_process("check", "--kb", folder)
    assert "DP1 is also the id of" in done.stdout
    assert "dp1_worker_rng" in dpkb_in_process("show", "DP1", "--kb", folder, "--json").stdout


def test_bad_bytes_and_links_out_of_the_tree_are_named(dpkb_in_process, catalogue, tmp_path):
    folder = catalogue()
    (folder / "kb" / "zz2_made.md").write_bytes(b"---\nid: \xff\n---\n")
    outside = tmp_path / "outside.py"
    outside.write_text("print(1)\n")
    inside = folder / "reproducers" / "zz1_made" / "broken.py"
    inside.unlink()
    inside.symlink_to(outside)
    output = "\n".join(lines(dpkb_in_process("check", "--kb", folder)))
    assert "not UTF-8 at byte 8" in output
    assert "leads out of the catalogue's reproducers/" in output


def test_other_commands_serve_the_healthy_entries_and_warn_once(dpkb_in_process, catalogue):
    folder = catalogue()
    (folder / "kb" / "zz2_made.md").write_text("nothing\n")
    for command in (["search", "failure", "made"], ["list"], ["show", "ZZ1"], ["search", "made"]):
        done = dpkb_in_process(*command, "--kb", folder)
        assert done.returncode == 0, done.stderr
        assert "ZZ1" in done.stdout
        assert done.stderr.count("1 entry cannot be read and is left out") == 1


def test_an_alias_bomb_or_a_huge_entry_ends_at_once(dpkb_in_process, tmp_path):
    bomb = "---\na: &a [x]\nb: [*a, *a]\n---\n"
    folder = write_catalogue(tmp_path / "bomb", entry=bomb)
    (folder / "kb" / "zz2_made.md").write_text("---\n" + "x" * 2_000_000)
    output = "\n".join(lines(dpkb_in_process("check", "--kb", folder)))
    assert "anchors and aliases" in output
    assert "larger than" in output


def test_json_has_the_place_and_the_message_of_a_problem(dpkb_in_process, catalogue):
    folder = catalogue(entry=ENTRY.format(id="ZZ1", shows="quiet", extra="", symptom="There."))
    done = dpkb_in_process("check", "--kb", folder, "--json")
    document = json.loads(done.stdout)
    assert (document["version"], done.returncode) == (1, 1)
    assert {"path", "line", "key", "message"} == set(document["problems"][0])


@pytest.mark.parametrize("leads", ["a signature", "a row"])
@pytest.mark.parametrize("recorded_in", ["kb/zz1_made.messages.yaml", "kb/messages_without_entry.yaml"])
def test_a_recorded_message_that_leads_elsewhere_is_reported(dpkb_in_process, tmp_path, leads, recorded_in):
    catalogue = write_catalogue(tmp_path / "first")
    reason = "  reason: nobody does this\n" if "without" in recorded_in else ""
    (catalogue / recorded_in).write_text(MESSAGES + reason)
    assert dpkb_in_process("check", "--kb", str(catalogue)).returncode == 0
    pattern = "layer of width"
    other = write_catalogue(
        tmp_path / "other",
        "ZZ2",
        symptom=f"{pattern} 3",
        search=SEARCH.replace("signatures: []", f"signatures: [match: {pattern}]")
        if leads == "a signature"
        else SEARCH,
    )
    if leads == "a row":
        (other / "kb/zz2_made.messages.yaml").write_text(MESSAGES.replace(" got \\d+", ""))
    done = dpkb_in_process("check", "--kb", str(catalogue), "--kb", str(other))
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if recorded_in in line]
    assert "'RuntimeError: layer of width 3 got 4' leads to ZZ2" in line


def test_the_catalogue_of_dpkb_is_sound(dpkb_in_process):
    done = dpkb_in_process("check", cwd=ROOT)
    assert done.returncode == 0, done.stdout
