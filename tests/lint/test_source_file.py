"""A finding at the place of a node."""

import ast
import gc
import weakref

import pytest
from support.lint_file import file_of, last, named

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Edit, Finding, Rewrite
from dpkb.lint.source_file import SourceFile, once_per_file
from dpkb.source_code.parsed_code import ParsedCode

EDIT = Edit((1, 0), (1, 1), "y")


def found(code, expression, edits=(), safe=True):
    file = file_of(code, head="")
    node = named(file, expression)
    return file.finding("ZZ1", node, Certainty.LIKELY, "it fails", "do it", edits, safe)


@pytest.mark.parametrize(
    ("code", "column"),
    [("f(x)", 1), ("    f(x)", 5), ("'größe'; f(x)", 10), ("'\U0001f525'; f(x)", 6), ("a = 1\n\tf(x)", 2)],
)
def test_columns_count_characters(code, column):
    code = code.replace("    f", "if 1:\n    f").replace("\tf", "if a:\n\tf")
    finding = found(code, "f(x)")
    assert finding.column == column and finding.source_line[column - 1 :] == "f(x)"


def test_a_finding_has_the_fields_that_the_rule_passes():
    finding = found("x = 1\nf(x)  # y", "f(x)")
    assert finding == Finding("ZZ1", Certainty.LIKELY, "it fails", "do it", "train.py", 2, 1, "f(x)  # y")


@pytest.mark.parametrize(
    ("edits", "safe", "rewrite"),
    [
        ((), True, None),
        ([EDIT], True, Rewrite((EDIT,))),
        ([EDIT], False, Rewrite((EDIT,), True)),
        ([EDIT, None], True, None),
        ([None], True, None),
    ],
)
def test_a_finding_with_an_incomplete_correction_has_none(edits, safe, rewrite):
    assert found("x = 1\nx", "x", edits, safe).rewrite == rewrite


def test_a_correction_is_safe_only_in_a_plain_program():
    assert found("import gc\nx = 1", "x", [EDIT]).rewrite == Rewrite((EDIT,), True)


def test_a_finding_in_an_f_string_has_no_correction():
    assert found("f'{f(x)}'", "f(x)", [EDIT]).rewrite is None


def test_columns_of_edits_are_also_counted_in_utf_16_units():
    """SARIF counts so: the emoji has 4 bytes, but 2 units."""
    (edit,) = found("'\U0001f525'; f(x)", "f(x)", [Edit((1, 8), (1, 12), "y")]).rewrite.edits
    assert edit.utf16_columns == (6, 10)


def test_a_place_in_a_notebook_is_a_line_of_its_cell():
    text = "a = 1\nb = 2\nf(x)\n"
    file = SourceFile(ParsedCode("a.ipynb", text, ast.parse(text), (1, 3)))
    finding = file.finding("ZZ1", named(file, "f(x)"), Certainty.HINT, "", "")
    assert (finding.cell, finding.line, finding.source_line) == (2, 1, "f(x)")


@once_per_file
def seen_calls(file):
    return [(file, call) for call in file.tree.calls]


def test_a_result_is_computed_once_for_each_file():
    one, other = file_of("f()"), file_of("g()\nh()")
    assert seen_calls(one) is seen_calls(one) and len(seen_calls(one)) == 1 and len(seen_calls(other)) == 2


def test_a_file_that_is_released_keeps_nothing_alive():
    file = file_of("class Net(nn.Module): pass\nnet = Net()\nf(net)\nnet")
    file.values.types(last(file))
    assert len(seen_calls(file)) == 2
    assert file.definitions.classes["Net"].is_a(library_names.NN_MODULE)
    reference = weakref.ref(file)
    gc.disable()
    try:
        file.release()
        del file
        assert reference() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("code", "certainty"),
    [
        ("torch.exp = exp", Certainty.LIKELY),
        ("nn.functional.cross_entropy = partial(f, 1)", Certainty.LIKELY),
        ("torch.backends.cudnn.benchmark = args.fast", Certainty.CERTAIN),
        ("torch._dynamo.config.verbose = args.verbose", Certainty.CERTAIN),
        ("model.exp = exp", Certainty.CERTAIN),
    ],
)
def test_in_a_file_that_replaces_functions_of_torch_nothing_is_certain(code, certainty):
    file = file_of(f"import torch\nfrom torch import nn\n{code}\nf(x)", head="")
    assert file.finding("ZZ1", named(file, "f(x)"), Certainty.CERTAIN, "", "").certainty is certainty
