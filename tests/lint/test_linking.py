"""Functions and classes of imported files are read with the file that imports them."""

from pathlib import Path

import pytest

from dpkb.lint.project import Project
from dpkb.lint.run import Selection, lint

SAVE = """import torch
import torch.distributed as dist


def save(state, path):
    torch.save(state, path)
    dist.barrier()
"""
TRAIN = """import torch
{line}


def main(rank, state):
    if rank == 0:
        {call}(state, "f")
"""


def write(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def found(folder):
    result = lint({folder: Selection()}, jobs=1)
    assert not result.failures
    return [(Path(item.file).name, item.line, item.id) for item in result.findings]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("from utils import save", "save"),
        ("from utils import save as keep", "keep"),
        ("import utils", "utils.save"),
        ("import utils as u", "u.save"),
        ("from .utils import save", "save"),
        ("from utils import *", "save"),
    ],
)
def test_a_helper_of_another_file_is_seen_however_it_is_imported(tmp_path, line, call):
    write(tmp_path, utils=SAVE, train=TRAIN.format(line=line, call=call))
    assert found(tmp_path) == [("train.py", 7, "D21")]


def test_a_local_name_hides_the_import(tmp_path):
    train = TRAIN.format(line="from utils import save", call="save").replace(
        "rank, state", "rank, state, save"
    )
    assert found(write(tmp_path, utils=SAVE, train=train)) == []


def test_names_of_the_other_file_mean_what_they_mean_there(tmp_path):
    other = SAVE.replace("import torch.distributed as dist", "from local import dist")
    train = TRAIN.format(line="import torch.distributed as dist\nfrom utils import save", call="save")
    assert found(write(tmp_path, utils=other, train=train)) == []


def test_a_helper_that_the_helper_calls_is_read_too(tmp_path):
    middle = "import torch\nfrom deep import save\n\n\ndef keep(state, path):\n    save(state, path)\n    torch.save(1, path)\n"
    texts = {"deep": SAVE, "utils": middle, "train": TRAIN.format(line="from utils import keep", call="keep")}
    folder = write(tmp_path, **texts)
    file = Project(sorted(folder.iterdir())).parse(folder / "train.py")
    assert {function.name for function in file.tree.functions} == {"main", "keep", "save"}


def test_a_finding_in_another_file_has_its_place(tmp_path):
    step = "import torch\n\n\ndef update(net, optimizer, x):\n    net(x).sum().backward()\n    optimizer.step()\n"
    train = (
        "import torch\nfrom step import update\n\n\ndef train(net, loader):\n    losses = []\n"
        "    optimizer = torch.optim.SGD(net.parameters(), 0.1)\n    for x in loader:\n        update(net, optimizer, x)\n"
    )
    folder = write(tmp_path, step=step, train=train)
    file = Project(sorted(folder.iterdir())).parse(folder / "train.py")
    [backward] = file.scopes.method_calls("backward")
    assert file.owner_of(backward).source.name == str(folder / "step.py")
    assert file.line_of(backward).strip() == "net(x).sum().backward()"


def test_files_that_import_each_other_end(tmp_path):
    one = "import torch\nfrom two import g\n\n\ndef f(x):\n    g(x).backward()\n"
    two = "import torch\nfrom one import f\n\n\ndef g(x):\n    f(x).backward()\n"
    assert found(write(tmp_path, one=one, two=two)) == []


def test_models_are_not_read_with_the_files_that_use_them(tmp_path):
    nets = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    pass\n"
    folder = write(
        tmp_path, nets=nets, train="import torch\nfrom nets import Net\nfor epoch in range(3):\n    Net()\n"
    )
    file = Project(sorted(folder.iterdir())).parse(folder / "train.py")
    assert [node.name for node in file.definitions.classes.values()] == []


def test_a_value_from_a_base_class_in_another_file_is_in_no_part(tmp_path):
    base = (
        "import torch\n\n\nclass Base:\n    def __init__(self):\n        self.softmax = torch.nn.Softmax(1)\n"
    )
    train = (
        "import torch\nfrom base import Base\nfrom utils import save\n\n\nclass Trainer(Base):\n"
        "    def train(self, x, y):\n        torch.nn.functional.cross_entropy(self.softmax(x), y).backward()\n"
        "        save(x, 'f')\n"
    )
    assert found(write(tmp_path, base=base, utils=SAVE, train=train)) == [("train.py", 8, "O14")]
