"""Which files are read, which rules are run, and which findings are kept."""

import gc
import os
import threading
from pathlib import Path

import pytest
from support.lint_file import LIST_OF_LAYERS as WRONG
from support.lint_file import file_of, lint_file

from dpkb.errors import Stopped
from dpkb.lint.finding import Certainty
from dpkb.lint.rules import Rule, all_rules
from dpkb.lint.run import Selection, lint
from dpkb.lint.syntax_tree import SyntaxTree


@pytest.fixture
def project(tmp_path):
    """A folder with Python files, a notebook, and files that lint leaves out."""
    for name in (
        "b.py",
        "a.py",
        "deep/net.py",
        "deep/notes.ipynb",
        "README.md",
        ".git/x.py",
        "venv/x.py",
        "venv/pyvenv.cfg",
        "conda/x.py",
        "conda/conda-meta/history",
        "deep/site-packages/x.py",
        "build/x.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"cells": []}' if name.endswith(".ipynb") else WRONG)
    return tmp_path


@pytest.mark.parametrize(
    ("selection", "wanted"),
    [
        (Selection(), True),
        (Selection(select=frozenset({"N3"})), True),
        (Selection(select=frozenset({"DP1"})), False),
        (Selection(ignore=frozenset({"N3"})), False),
        (Selection(select=frozenset({"N3"}), ignore=frozenset({"N3"})), False),
    ],
)
def test_select_and_ignore_choose_the_rules(project, selection, wanted):
    assert selection.wants("N3") is wanted
    assert bool(lint({project / "a.py": selection}).findings) is wanted


def test_a_file_is_linted_once_and_not_if_it_is_excluded(project):
    result = lint(dict.fromkeys([project, project / "a.py"], Selection(exclude=("*/deep/*",))))
    assert (result.files, result.excluded) == (2, 2)
    assert [os.path.basename(finding.file) for finding in result.findings] == ["a.py", "b.py"]


def test_a_file_that_is_named_in_two_ways_is_linted_once(project, monkeypatch):
    monkeypatch.chdir(project)
    os.symlink(project / "a.py", project / "link.py")
    result = lint(dict.fromkeys([Path("a.py"), project / "a.py", Path("link.py")], Selection()))
    assert (result.files, [finding.file for finding in result.findings]) == (1, ["a.py"])


MODEL = """from torch import nn
class Net(nn.Module):
    def forward(self, x):
        return x.softmax(1){comment}
"""
TRAINING = "from torch import nn\nfrom model import Net\nloss = nn.CrossEntropyLoss()(Net()(x), y)\n"


@pytest.mark.parametrize(
    ("comment", "found", "silenced"), [("", [("model.py", 4)], 0), ("  # dpkb: ignore[O14]", [], 1)]
)
def test_a_finding_in_a_class_that_two_files_import_is_one(tmp_path, comment, found, silenced):
    for name, text in (
        ("model.py", MODEL.format(comment=comment)),
        ("a.py", TRAINING),
        ("train.py", TRAINING),
    ):
        (tmp_path / name).write_text(text)
    result = lint({tmp_path: Selection()})
    assert [(Path(finding.file).name, finding.line) for finding in result.findings] == found
    assert (result.files, result.silenced) == (3, silenced)


def test_findings_on_the_same_line_of_two_files_are_two(tmp_path):
    """The rule reports both while it reads the file that imports the class."""
    (tmp_path / "model.py").write_text(MODEL.format(comment=""))
    (tmp_path / "train.py").write_text(
        "from torch import nn\nfrom model import Net\nloss_fn = nn.CrossEntropyLoss()\n"
        "loss = loss_fn(x.softmax(1), y) + loss_fn(Net()(x), y)\n"
    )
    findings = lint({tmp_path: Selection()}).findings
    assert [(Path(finding.file).name, finding.line) for finding in findings] == [
        ("model.py", 4),
        ("train.py", 4),
    ]


def test_an_unreadable_file_is_named_and_the_others_are_linted(project):
    (project / "a.py").write_text("import torch\ndef f(:\n")
    result = lint({project: Selection()})
    assert list(result.unreadable) == [str(project / "a.py")] and len(result.findings) == 2


def test_lint_can_be_stopped_between_two_rules(project, monkeypatch):
    stop, checked = threading.Event(), []

    def check(file):
        checked.append(file)
        stop.set()
        return iter(())

    rule = Rule("", "", check)
    monkeypatch.setattr("dpkb.lint.rules.all_rules", lambda: {"ZZ1": rule, "ZZ2": rule})
    with pytest.raises(Stopped):
        lint({project: Selection()}, 1, stop=stop)
    assert len(checked) == 1 and gc.isenabled()


def test_a_rule_that_raises_loses_only_what_it_would_still_have_found(project, monkeypatch):
    """Also in a file that another one imports a class from."""

    def fail(file):
        if file.source.name.endswith("a.py"):
            yield file.finding("ZZ1", file.tree.root.body[0], Certainty.LIKELY, "", "")
            raise IndexError("list index out of range")

    rules = {"ZZ1": Rule("", "", fail), **all_rules()}
    monkeypatch.setattr("dpkb.lint.rules.all_rules", lambda: rules)
    result = lint({project: Selection()})
    found = [(os.path.basename(finding.file), finding.id) for finding in result.findings]
    assert found == [("a.py", "ZZ1"), ("a.py", "N3"), ("b.py", "N3"), ("net.py", "N3")]
    [failure] = result.failures
    assert (failure.file, failure.rule, result.files) == (str(project / "a.py"), "ZZ1", 4)
    assert failure.error.startswith("IndexError: list index out of range (test_run.py, line ")
    assert failure.traceback.startswith("Traceback ") and "in fail" in failure.traceback


def test_a_file_that_cannot_be_indexed_loses_neither_the_others_nor_those_that_import_it(
    project, monkeypatch
):
    def fail(tree, root):
        if root.body[0].lineno > 1:
            raise IndexError
        index(tree, root)

    index = SyntaxTree._index
    monkeypatch.setattr(SyntaxTree, "_index", fail)
    (project / "a.py").write_text("\nimport torch\nclass Net(torch.nn.Module): pass\n")
    (project / "b.py").write_text(f"from a import Net\n{WRONG.replace('(nn.Module)', '(Net, nn.Module)')}")
    result = lint({project: Selection()})
    assert [os.path.basename(finding.file) for finding in result.findings] == ["b.py", "net.py"]
    assert [(failure.file, failure.rule) for failure in result.failures] == [(str(project / "a.py"), None)]


def found(monkeypatch, *findings, hints=False):
    """What lint_file() keeps of these findings: (rule, certainty, statement number, message)."""
    file = file_of("x = 1\ny = 2  # dpkb: ignore[ZZ2]\n", head="")
    body = file.tree.root.body

    def check(file):
        return (
            file.finding(rule, body[line], certainty, message, "")
            for rule, certainty, line, message in findings
        )

    rules = {"ZZ1": Rule("", "", check)}
    monkeypatch.setattr("dpkb.lint.rules.all_rules", lambda: rules)
    kept, silenced = lint_file(file, Selection(hints=hints))
    return [(finding.id, finding.line, finding.message) for finding in kept], silenced


def test_findings_are_in_order_and_two_forms_of_a_failure_on_a_line_are_one(monkeypatch):
    likely, certain = Certainty.LIKELY, Certainty.CERTAIN
    assert found(
        monkeypatch,
        ("ZZ1", likely, 1, "c"),
        ("ZZ1", likely, 0, "b"),
        ("ZZ1", certain, 0, "a"),
        ("ZZ3", likely, 0, "d"),
    ) == ([("ZZ1", 1, "a"), ("ZZ3", 1, "d"), ("ZZ1", 2, "c")], 0)


def test_a_comment_silences_its_own_entry_only(monkeypatch):
    likely = Certainty.LIKELY
    assert found(monkeypatch, ("ZZ2", likely, 1, "a"), ("ZZ2", likely, 0, "b"), ("ZZ1", likely, 1, "c")) == (
        [("ZZ2", 1, "b"), ("ZZ1", 2, "c")],
        1,
    )


@pytest.mark.parametrize("hints", [False, True])
def test_hints_are_shown_only_on_request(monkeypatch, hints):
    kept, silenced = found(
        monkeypatch, ("ZZ1", Certainty.HINT, 0, "a"), ("ZZ2", Certainty.HINT, 1, "b"), hints=hints
    )
    assert (len(kept), silenced) == ((1, 1) if hints else (0, 0)), "what is not shown is not silenced either"


def test_only_the_rules_for_which_code_is_nested_too_deeply_leave_it_out(project, monkeypatch):
    def deep(_):
        raise RecursionError
        yield

    rules = {"ZZ1": Rule("", "", deep), **all_rules(), "ZZ2": Rule("", "", deep)}
    monkeypatch.setattr("dpkb.lint.rules.all_rules", lambda: rules)
    result = lint({project / "a.py": Selection()})
    assert result.unreadable == {str(project / "a.py"): "is nested too deeply for ZZ1, ZZ2"}
    assert [finding.id for finding in result.findings] == ["N3"] and result.failures == ()
