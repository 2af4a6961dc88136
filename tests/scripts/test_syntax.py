"""The syntax tree of a script, and small questions about it."""

import ast
import warnings

import pytest

from dpkb.scripts import syntax


def first(code):
    return ast.parse(code).body[0]


def test_a_script_for_an_old_python_and_for_a_new_one():
    new = "match 1:\n    case 1: pass\n"
    with pytest.raises(SyntaxError):
        syntax.parse_as_oldest_python(new)
    assert isinstance(syntax.parse_script(new).body[0], ast.Match)
    assert syntax.parse_as_oldest_python("x = 1") is syntax.parse_script("x = 1"), "it is parsed once"


@pytest.mark.parametrize("source", ["x = " + "(" * 9000, "x = " + "-" * 100_000 + "1", "x = \0", "def"])
def test_text_that_is_not_python_is_a_syntax_error(source):
    with pytest.raises(SyntaxError):
        syntax.parse_script(source)


def test_reading_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert syntax.parse_script("x = '\\d'\ny = 1 is 1\n").body


def test_the_work_is_under_the_main_guard():
    guarded = ast.parse("import sys\nif __name__ == '__main__':\n    a()\n    b()\n")
    assert [syntax.find_called_function(node) for node in syntax.find_experiment(guarded)] == ["a", "b"]
    plain = ast.parse("a()\n")
    assert syntax.find_experiment(plain) is plain.body and syntax.find_experiment(ast.parse("")) == []


def test_every_node_and_every_block():
    module = ast.parse(
        "def f():\n    try:\n        a()\n    finally:\n        b()\nfor x in y:\n    c()\nelse:\n    d()\n"
    )
    called = {syntax.find_called_function(block[0]) for block in syntax.find_blocks(module) if block}
    assert called == {"", "a", "b", "c", "d"}
    assert set(syntax.list_nodes(module)) == set(ast.walk(module))


@pytest.mark.parametrize(
    ("code", "name"),
    [("torch.cuda.amp", "torch.cuda.amp"), ("a", "a"), ("f().x", ""), ("a[0].b", ""), ("1", "")],
)
def test_a_dotted_name(code, name):
    assert syntax.find_dotted_name(first(code).value) == name


@pytest.mark.parametrize(
    ("code", "name"), [("sys.exit(1)", "sys.exit"), ("x = sys.exit(1)", ""), ("sys.exit", ""), ("f()()", "")]
)
def test_the_function_that_a_statement_calls(code, name):
    assert syntax.find_called_function(first(code)) == name
    assert syntax.find_called_function(None) == ""


def test_names_and_literals():
    module = ast.parse("a = b = 3\nc = [1, 'x', -2]\nd = len(c)\ne: int = 3\nf, g = 1, 2\nh = {1: None}\n")
    assert syntax.find_names(module) == set("abcdefgh") | {"len", "int"}
    assert sorted(syntax.find_literal_assignments(module.body)) == ["a", "b", "c", "h"]
