"""Code that nobody expects: no rule raises on it."""

import ast

import pytest
from support.lint_file import file_of

from dpkb.lint.rules import all_rules
from dpkb.lint.source_file import SourceFile
from dpkb.source_code.parsed_code import read_code


def run_rules(file):
    return [finding.id for rule in all_rules().values() for finding in rule.check(file)]


ODD = {
    "an index without items": "import cv2\nimage = cv2.imread(path)\nx = torch.from_numpy(image[()])\n",
    "iter() without an argument": "it = iter(DataLoader(data)) if c else iter()\nit.next()\n",
}


@pytest.mark.parametrize("name", ODD)
def test_no_rule_raises(name):
    run_rules(file_of(ODD[name]))


def test_a_number_that_python_cannot_print_is_no_reason_to_raise(tmp_path):
    path = tmp_path / "net.py"
    number = "0x" + "f" * 6000
    path.write_text(
        f"import torch\nfrom torch import nn\nnet = nn.Linear({number}, {number})\nnet.forward({number})\n"
        f"class Net(nn.Module):\n    def __init__(self):\n        self.layers = [nn.Linear(1, {number}), 1]\n"
    )
    source = read_code(path)
    assert ast.unparse(source.tree) and number in source.text
    assert run_rules(SourceFile(source)) == ["N1", "N3"]
