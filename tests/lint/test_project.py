"""The linted files together: a class that one of them imports is found in another."""

from pathlib import Path

import pytest
from support.lint_file import HEAD, LIST_OF_LAYERS, last

from dpkb.lint import project as project_module
from dpkb.lint.project import Project
from dpkb.lint.run import Selection, lint
from dpkb.source_code.parsed_code import CannotRead

NET = HEAD + "class Net(nn.Module):\n    pass\n"


def files(tmp_path, **texts):
    """Files by their dotted names: a__net is a/net.py."""
    paths = []
    for name, text in texts.items():
        path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths.append(path)
    return paths


def class_in_last(paths):
    """The file in which the class of the last file's last line is, from its folder on; "" for none."""
    file = Project(paths).parse(paths[-1])
    kinds = [kind for kind in file.values.types(last(file)) if not isinstance(kind, str)]
    return kinds[0].file.source.name if kinds else ""


@pytest.mark.parametrize(
    "line",
    [
        "from nets import Net\nNet()",
        "from nets import Net as N\nN()",
        "import nets\nnets.Net()",
        "import nets as n\nn.Net()",
        "from .nets import Net\nNet()",
    ],
)
def test_a_class_of_another_file_is_found_by_its_import(tmp_path, line):
    paths = files(tmp_path, nets=NET, train=HEAD + line + "\n")
    assert class_in_last(paths) == str(paths[0])


def test_a_class_that_a_package_exports_again(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("import torch\nfrom package.nets import Net\n")
    (package / "nets.py").write_text(NET)
    (tmp_path / "train.py").write_text(HEAD + "from package import Net\nNet()\n")
    paths = [Path(package / "__init__.py"), package / "nets.py", tmp_path / "train.py"]
    project = Project(paths)
    file = project.parse(paths[-1])
    [kind] = file.values.types(last(file))
    assert kind.name == "Net" and kind.file.source.name == str(package / "nets.py")
    assert kind.is_a("torch.nn.Module")


def test_the_nearer_of_two_files_with_the_same_name_counts(tmp_path):
    train = HEAD + "from models import Net\nNet()\n"
    paths = files(tmp_path, one__models=NET, two__models=NET, two__train=train)
    assert class_in_last(paths) == str(paths[1])


def test_circular_imports_do_not_loop_for_ever(tmp_path):
    paths = files(
        tmp_path,
        a="import torch\nfrom b import Net\n",
        b="import torch\nfrom a import Net\n",
        train=HEAD + "from a import Net\nNet()\n",
    )
    assert class_in_last(paths) == ""


@pytest.mark.parametrize("other", ["torch def\n", "class Net:\n    pass\n"])
def test_a_file_that_cannot_be_read_or_never_mentions_torch_has_no_classes(tmp_path, other):
    paths = files(tmp_path, nets=other, train=HEAD + "from nets import Net\nNet()\n")
    assert class_in_last(paths) == ""


def test_classes_of_libraries_are_not_searched_in_the_files(tmp_path):
    paths = files(tmp_path, lightning=NET, train=HEAD + "from lightning import Net\nNet()\n")
    assert class_in_last(paths) == ""


def test_a_file_that_cannot_be_read_raises_each_time(tmp_path):
    """Another file may import it before it is linted itself."""
    (path,) = files(tmp_path, bad="torch def\n")
    project = Project([path])
    for _ in range(2):
        with pytest.raises(CannotRead):
            project.parse(path)


def test_an_unreadable_file_is_named_also_if_another_file_imports_it(tmp_path):
    """lint() parses at least two files with one Project if there are more than four."""
    others = {f"other{number}": "" for number in range(6)}
    paths = files(
        tmp_path,
        a=HEAD + "from bad import Net\nmodel = Net()\nmodel.forward(x)\n",
        bad="torch def\n",
        **others,
    )
    assert list(lint(dict.fromkeys(paths, Selection()), jobs=1).unreadable) == [str(paths[1])]


def test_the_number_of_parsed_files_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(project_module, "_MAX_PARSED_FILES", 2)
    paths = files(tmp_path, a=NET, b=NET, c=NET)
    project = Project(paths)
    first = project.parse(paths[0])
    for path in paths:
        project.release_if_full()
        assert project.parse(path) and project.parse(paths[0]) is first
    project.release_if_full()
    assert project.parse(paths[0]) is not first


def test_a_file_that_imports_more_classes_than_are_kept_has_its_findings(tmp_path, monkeypatch):
    monkeypatch.setattr(project_module, "_MAX_PARSED_FILES", 2)
    others = {f"m{number}": NET for number in range(3)}
    uses = "".join(f"from {name} import Net as {name}\n{name}().forward(1)\n" for name in others)
    paths = files(tmp_path, train=LIST_OF_LAYERS + uses, **others)
    assert "N3" in [finding.id for finding in lint(dict.fromkeys(paths, Selection()), jobs=1).findings]
