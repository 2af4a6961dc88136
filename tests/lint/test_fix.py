"""`dpkb lint --fix`: what it writes is right, and everything else stays as it was."""

import errno
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from support import ROOT
from support.lint_file import lint_file
from support.torch_programs import run_programs

from dpkb import files
from dpkb.catalogue.load import load
from dpkb.errors import CannotWrite
from dpkb.lint import fix as fix_module
from dpkb.lint.finding import Certainty, Edit, Finding, Rewrite
from dpkb.lint.fix import apply, correct_files, diff, fix_until_stable, is_fixable
from dpkb.lint.project import Project
from dpkb.lint.run import LintResult, Selection
from dpkb.model import Outcome
from dpkb.source_code.parsed_code import digest_of


def findings(path, *ids):
    file = Project([path]).parse(path)
    return lint_file(file, Selection(frozenset(ids), hints=True))[0] if file else []


def is_fixed(entry, script):
    """Whether fixes remove all that the rule of the entry finds in its script."""
    own = findings(script.path, entry.id) if script.name.startswith("broken") else []
    return bool(own) and all(is_fixable(finding, unsafe=True) for finding in own)


@pytest.mark.slow
def test_a_fix_makes_the_script_healthy(tmp_path):
    copies = []
    for script in [
        script
        for entry in load([ROOT])
        for script in entry.scripts
        if script.shows is not Outcome.HEALTHY and is_fixed(entry, script)
    ]:
        copy = tmp_path / f"{script.entry}_{script.path.name}"
        copy.write_bytes(script.path.read_bytes())
        [correction] = correct_files(findings(copy), True, {}).values()
        copy.write_text(correction.after)
        assert not [found for found in findings(copy) if is_fixable(found, unsafe=True)], copy.name
        copies.append(copy)
    results = run_programs(copies)
    failed = {
        copy.name: result for copy, result in zip(copies, results, strict=True) if result[0] not in (0, 77)
    }
    assert len(copies) > 10 and not failed


CASES = {
    "shuffle": (
        "from torch.utils.data import DataLoader, RandomSampler\n\n"
        "loader = DataLoader(data, 8, shuffle=True,  # the order\n"
        "                    sampler=RandomSampler(data))\n",
        "from torch.utils.data import DataLoader, RandomSampler\n\n"
        "loader = DataLoader(data, 8,  # the order\n"
        "                    sampler=RandomSampler(data))\n",
    ),
    "an argument with a separate comment": (
        "from torch.utils.data import DataLoader, RandomSampler\n"
        "loader = DataLoader(data,  # all\n    shuffle=True, sampler=RandomSampler(data))\n",
        None,
    ),
    "shuffle beside a sampler": (
        "from torch.utils.data import DataLoader, RandomSampler\n"
        "loader = DataLoader(data, shuffle=True, sampler=RandomSampler(data))  # é\n",
        "from torch.utils.data import DataLoader, RandomSampler\n"
        "loader = DataLoader(data, sampler=RandomSampler(data))  # é\n",
    ),
    "shuffle beside a sampler that may be None": (
        "from torch.utils.data import DataLoader\n"
        "def make(data, sampler=None):\n    return DataLoader(data, sampler=sampler, shuffle=True)\n",
        "from torch.utils.data import DataLoader\n"
        "def make(data, sampler=None):\n"
        "    return DataLoader(data, sampler=sampler, shuffle=sampler is None)\n",
    ),
    "set_epoch": (
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "def train(data, step, epochs, many):\n"
        "\tsampler = DistributedSampler(data) if many else None\n"
        "\tloader = DataLoader(data, sampler=sampler)\n"
        "\tfor epoch in range(epochs):\n\t\t# one pass\n\t\tfor x in loader:\n\t\t\tstep(x)\n",
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "def train(data, step, epochs, many):\n"
        "\tsampler = DistributedSampler(data) if many else None\n"
        "\tloader = DataLoader(data, sampler=sampler)\n"
        "\tfor epoch in range(epochs):\n\t\t# one pass\n"
        "\t\tif sampler is not None:\n\t\t    sampler.set_epoch(epoch)\n"
        "\t\tfor x in loader:\n\t\t\tstep(x)\n",
    ),
    "layers": (
        "import torch as t\nclass Net(t.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = [t.nn.Linear(8, 8),\n                  t.nn.Linear(8, 2)]  # two\n"
        "        self.b = {'x': t.nn.Linear(1, 1)}; self.c = {1: t.nn.Linear(1, 1)}\n",
        "import torch as t\nclass Net(t.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = t.nn.ModuleList([t.nn.Linear(8, 8),\n                  t.nn.Linear(8, 2)])  # two\n"
        "        self.b = t.nn.ModuleDict({'x': t.nn.Linear(1, 1)}); self.c = {1: t.nn.Linear(1, 1)}\n",
    ),
    "forward, loss and next in one file": (
        "import torch\nnet = torch.nn.Linear(1, 1)\nnet.register_forward_hook(print)\n"
        "def train(data, total = 0):\n"
        "    it = iter(torch.utils.data.DataLoader(data))\n    for _ in range(9):\n"
        "        loss = net.forward( it.next() ).sum()\n        loss.backward()\n        total += loss\n",
        "import torch\nnet = torch.nn.Linear(1, 1)\nnet.register_forward_hook(print)\n"
        "def train(data, total = 0):\n"
        "    it = iter(torch.utils.data.DataLoader(data))\n    for _ in range(9):\n"
        "        loss = net( next(it) ).sum()\n        loss.backward()\n        total += loss.detach()\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_only_the_place_changes(dpkb_in_process, tmp_path, name, newline):
    before, after = CASES[name]
    file = tmp_path / "train.py"
    file.write_bytes(before.replace("\n", newline).encode())
    diff = ("--diff", "--unsafe-fixes", "train.py")
    patch = dpkb_in_process("lint", *diff, cwd=tmp_path)
    assert file.read_bytes() == before.replace("\n", newline).encode()
    dpkb_in_process("lint", "--fix", "--unsafe-fixes", "train.py", cwd=tmp_path)
    assert file.read_bytes() == (after or before).replace("\n", newline).encode()
    assert patch.returncode == (1 if after else 0) and ("+++ b/train.py" in patch.stdout) is bool(after)
    assert dpkb_in_process("lint", *diff, cwd=tmp_path).returncode == 0


def with_edits(*edits, file="train.py", unsafe=False, cell=None):
    """A finding with these edits of the file as it is now."""
    digest = digest_of(Path(file).read_bytes()) if os.path.isfile(file) else b""
    return Finding(
        "ZZ1", Certainty.CERTAIN, "", "", file, 1, 1, cell=cell, rewrite=Rewrite(edits, unsafe, digest)
    )


def corrected(findings):
    """File -> its text before and after, and how many findings that corrects."""
    return {file: correction[:3] for file, correction in correct_files(findings, False, {}).items()}


def at(start, end, text):
    return Edit((1, start), (1, end), text)


@pytest.mark.parametrize(
    ("edits", "text", "number"),
    [
        ([[at(0, 1, "x")], [at(4, 5, "y")]], "x + y", 2),
        ([[at(0, 1, "x")], [at(1, 3, " -")]], "x - b", 2),
        ([[at(1, 3, " -")], [at(0, 1, "x")]], "x - b", 2),
        ([[at(0, 3, "x")], [at(2, 5, "y")]], "x b", 1),
        ([[at(2, 5, "y")], [at(0, 3, "x")]], "a y", 1),
        ([[at(0, 5, "x")], [at(2, 3, "-")]], "x", 1),
        ([[at(0, 0, "x")], [at(0, 0, "y")]], "xa + b", 1),
        ([[at(0, 1, "x")], [at(0, 1, "x"), at(4, 5, "y")]], "x + y", 2),
        ([[at(0, 1, "x"), at(4, 5, "y")], [at(4, 5, "z"), at(2, 3, "-")]], "x + y", 1),
        ([[at(0, 3, "x"), at(2, 5, "y")]], "a + b", 0),
        ([], "a + b", 0),
    ],
)
def test_only_the_first_of_overlapping_corrections_is_applied_and_only_as_a_whole(edits, text, number):
    assert apply("a + b", [with_edits(*one) for one in edits]) == (text, number)


def test_a_file_is_rewritten_only_if_it_changes_and_still_parses(tmp_path):
    found = []
    for name, text in (("good", "y"), ("same", "a"), ("bad", "(")):
        file = tmp_path / f"{name}.py"
        file.write_text("a + b\n")
        found.append(with_edits(at(0, 1, text), file=str(file)))
    assert corrected(found) == {str(tmp_path / "good.py"): ("a + b\n", "y + b\n", 1)}


def test_an_edit_that_breaks_the_text_does_not_stop_the_others(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("a + b\n")
    found = [with_edits(at(*place), file=str(file)) for place in ((0, 1, "x"), (2, 3, ")"), (4, 5, "y"))]
    assert corrected(found) == {str(file): ("a + b\n", "x + y\n", 2)}


@pytest.mark.parametrize(
    ("name", "reason"), [("gone.py", "No such file or directory"), ("pipe.py", "not a regular file")]
)
def test_a_file_that_cannot_be_read_again_is_named(tmp_path, name, reason):
    os.mkfifo(tmp_path / "pipe.py")
    skipped, file = {}, str(tmp_path / name)
    assert correct_files([with_edits(at(0, 1, "x"), file=file)], False, skipped) == {}
    assert str(skipped[file]) == f"{file}: cannot be read: {reason}"


def test_overlapping_corrections_are_applied_in_several_rounds(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("a + b\n")
    rounds = [[at(0, 1, "x"), at(0, 5, "y")], [at(0, 5, "y")], []]

    def find():
        return LintResult(tuple(with_edits(edit, file=str(file)) for edit in rounds.pop(0)))

    result, fixed = fix_until_stable(find, False, {})
    assert (result.findings, fixed, file.read_text()) == ((), 2, "y\n")


def fix(file, text):
    """Write this text in place of the first letter of a file."""
    found, skipped = [[with_edits(at(0, 1, text), file=str(file))], []], {}
    fix_until_stable(lambda: LintResult(found.pop(0)), False, skipped)
    return skipped.get(str(file))


def test_a_corrected_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path):
    file, link = tmp_path / "train.py", tmp_path / "link.py"
    file.write_text("a\n")
    file.chmod(0o750)
    link.symlink_to("train.py")
    fix(link, "b")
    assert link.is_symlink() and file.read_text() == "b\n" and stat.S_IMODE(file.stat().st_mode) == 0o750


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "train.py"
    file.write_text("a\n")

    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("dpkb.files._flush_to_disk", full)
    error = fix(file, "b")
    assert isinstance(error, CannotWrite) and str(error).endswith(
        "cannot be written: No space left on device"
    )
    assert file.read_text() == "a\n" and list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_read_only_is_not_replaced(tmp_path, monkeypatch):
    file = tmp_path / "train.py"
    file.write_text("a\n")
    monkeypatch.setattr("os.access", lambda *_: False)  # chmod() would not stop root
    error = fix(file, "b")
    assert isinstance(error, CannotWrite) and str(error).endswith("cannot be written: Permission denied")
    assert file.read_text() == "a\n"


def test_corrections_that_undo_each_other_do_not_loop_for_ever(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("a\n")

    def find():
        other = "b" if file.read_text() == "a\n" else "a"
        return LintResult((with_edits(at(0, 1, other), file=str(file)),))

    result, fixed = fix_until_stable(find, False, {})
    assert len(result.findings) == 1 and fixed == 5


def test_what_can_be_corrected():
    assert is_fixable(with_edits(), unsafe=False) and not is_fixable(with_edits(cell=1), unsafe=True)
    assert not is_fixable(with_edits(unsafe=True), unsafe=False)
    assert is_fixable(with_edits(unsafe=True), unsafe=True)


def test_each_line_keeps_its_own_end(dpkb_in_process, tmp_path):
    """An editor or a merge may leave both kinds in a file."""
    before, after = (text.encode().replace(b"\n", b"\r\n", 3) for text in CASES["set_epoch"])
    file = tmp_path / "train.py"
    file.write_bytes(before)
    dpkb_in_process("lint", "--fix", "--unsafe-fixes", "train.py", cwd=tmp_path)
    assert file.read_bytes() == after.replace(b"None:\n", b"None:\r\n").replace(b"(epoch)\n", b"(epoch)\r\n")


def test_unsafe_fixes_are_applied_only_on_request(dpkb_in_process, tmp_path):
    file = tmp_path / "train.py"
    file.write_text(
        "import torch\ndef train(model, loader):\n    model.register_forward_hook(print)\n    for x in loader:\n"
        "        model.forward(x).sum().backward()\n"
    )
    done = dpkb_in_process("lint", "--fix", cwd=tmp_path)
    assert done.returncode == 1 and "fixed 0 findings" in done.stderr and ".forward(" in file.read_text()
    done = dpkb_in_process("lint", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 0 and "fixed 1 finding" in done.stderr and "model(x)" in file.read_text()


def test_the_encoding_of_a_file_stays(dpkb_in_process, tmp_path):
    file = tmp_path / "train.py"
    text = (
        "# -*- coding: latin-1 -*-\nfrom torch.utils.data import DataLoader, RandomSampler\n"
        "loader = DataLoader(data, shuffle=True, sampler=RandomSampler(data))  # é\n"
    )
    file.write_bytes(text.encode("latin-1"))
    assert dpkb_in_process("lint", "--fix", "--unsafe-fixes", cwd=tmp_path).returncode == 0
    assert file.read_bytes() == text.replace(" shuffle=True,", "").encode("latin-1")


SHUFFLE = CASES["shuffle beside a sampler"]


def test_a_file_that_is_saved_meanwhile_is_left_as_it_is(tmp_path):
    """By an editor, after the file was linted; and by another one, when its correction is ready."""
    early, late, same = (tmp_path / f"{name}.py" for name in ("early", "late", "same"))
    for file in (early, late, same):
        file.write_text("a\n")
    found = [with_edits(at(0, 1, "b"), file=str(file)) for file in (early, late, same)]
    early.write_text("saved\n")
    flush = files._flush_to_disk

    def save_late(path):
        flush(path)
        late.write_text("saved\n")

    skipped, results = {}, [LintResult(found), LintResult()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_flush_to_disk", save_late)
        assert fix_until_stable(lambda: results.pop(0), False, skipped) == (LintResult(), 1)
    assert [file.read_text() for file in (early, late, same)] == ["saved\n", "saved\n", "b\n"]
    assert all("has changed since it was read" in str(skipped[str(file)]) for file in (early, late))
    assert len(list(tmp_path.iterdir())) == 3 and len(skipped) == 2


def test_a_file_that_cannot_be_corrected_does_not_stop_the_others(dpkb_in_process, tmp_path, monkeypatch):
    texts = {"a.py": SHUFFLE[0], "b.py": SHUFFLE[0]}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("os.access", lambda path, _: not str(path).endswith("a.py"))  # root may write all
    done = dpkb_in_process("lint", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 74 and "a.py: cannot be written: Permission denied" in done.stderr
    assert "fixed 1 finding" in done.stderr and "a.py:2:" in done.stdout
    assert [(tmp_path / name).read_text() for name in texts] == list(SHUFFLE)


@pytest.mark.parametrize(("codec", "letter"), [("unicode_escape", "\\x41"), ("utf-7", "+AOk-")])
def test_a_file_whose_codec_would_write_other_bytes_is_not_corrected(
    dpkb_in_process, tmp_path, codec, letter
):
    file = tmp_path / "train.py"
    before = f"# coding: {codec}\n{SHUFFLE[0]}x = 'é'\n".replace("é", letter)
    file.write_text(before)
    for option in ("--fix", "--diff"):
        done = dpkb_in_process("lint", option, "--unsafe-fixes", "train.py", cwd=tmp_path)
        assert file.read_text() == before and f"writing it in {codec} would change more" in done.stderr
    assert dpkb_in_process("lint", "--fix", "--unsafe-fixes", "train.py", cwd=tmp_path).returncode == 1


def test_a_byte_order_mark_stays(dpkb_in_process, tmp_path):
    file = tmp_path / "train.py"
    file.write_text(SHUFFLE[0], "utf-8-sig")
    assert dpkb_in_process("lint", "--fix", "--unsafe-fixes", "train.py", cwd=tmp_path).returncode == 0
    assert file.read_bytes() == SHUFFLE[1].encode("utf-8-sig")


def test_thousands_of_corrections_are_compared_with_their_neighbours_only(monkeypatch):
    compared = 0

    def count(one, other):
        nonlocal compared
        compared += 1
        return overlap(one, other)

    overlap = fix_module._overlap
    monkeypatch.setattr(fix_module, "_overlap", count)
    text = "a = 1\n" * 2000
    found = [with_edits(Edit((line, 0), (line, 1), "b")) for line in range(1, 2001)]
    assert apply(text, [*found[::2], *found[1::2]]) == ("b = 1\n" * 2000, 2000) and compared <= 4000


@pytest.mark.parametrize("command", ["git apply", "patch --silent -p1"])
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("net.py", "a\nb", "a\nB"),
        ("net.py", "a\nb\n", "A\nb\n"),
        ("net.py", "a\x0cb\nc\n", "a\x0cb\nC\n"),
        ("net.py", "a\r\nb\r\n", "a\r\nB\r\n"),
        ("my net.py", "a\n", "b\n"),
        ("größe.py", "a\n", "b\n"),
        ('\x1b]0;\n"\x07\\.py', "a\n", "b\n"),
        ("\udce9.py", "a\n", "b\n"),
    ],
)
def test_a_patch_can_be_applied_and_printed(tmp_path, command, name, before, after):
    if not shutil.which(command.split()[0]):
        pytest.skip(f"{command.split()[0]} is not installed")
    (tmp_path / name).write_bytes(before.encode())
    patch = diff(name, before, after)
    assert "\x1b" not in patch
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    done = subprocess.run(
        command.split(),
        input=patch.encode(),
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done
    assert (tmp_path / name).read_bytes() == after.encode()


def test_the_summary_names_what_can_be_fixed(dpkb_in_process):
    path = Path(__file__).parent / "examples" / "n3_base_wrong.py"
    assert "--fix --unsafe-fixes corrects" in dpkb_in_process("lint", path).stdout
