"""Helpers for single syntax nodes."""

import ast

import pytest
from support.lint_file import file_of, last

from dpkb.lint.nodes import (
    as_constant,
    called_name,
    find_argument,
    find_receiver,
    has_unknown_arguments,
    is_method_call,
    is_none,
    last_name,
    names_in,
    root_name,
    self_attribute,
    self_name,
    text_of,
)


def call_of(code):
    return last(file_of(code))


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("f(1, 2)", "2"),
        ("f(1, b=3)", "3"),
        ("f(1)", ""),
        ("f(*a, 2)", ""),
        ("f(1, *a)", ""),
        ("f(**b)", ""),
        ("f(1, 2, *a)", "2"),
    ],
)
def test_an_argument_by_keyword_or_position(call, value):
    assert text_of(find_argument(call_of(call), "b", 1)) == value


def test_an_argument_that_is_only_a_keyword():
    assert find_argument(call_of("f(1, 2)"), "b") is None


@pytest.mark.parametrize("call", ["f()", "f(1, 2)"])
def test_a_negative_position_has_no_argument(call):
    """The position of `self`, which a call of a method does not write."""
    assert find_argument(call_of(call), "self", -1) is None


@pytest.mark.parametrize(
    ("call", "unknown"), [("f(1, b=2)", False), ("f(*a)", True), ("f(**b)", True), ("f(1, b=g(*a))", False)]
)
def test_arguments_that_are_passed_on(call, unknown):
    assert has_unknown_arguments(call_of(call)) is unknown


@pytest.mark.parametrize(
    ("expression", "name"),
    [("a.b[c].d()", "a"), ("a", "a"), ("f(x)(y).z", "f"), ("(a or b).c", ""), ("'text'.join(a)", "")],
)
def test_the_name_that_an_expression_begins_with(expression, name):
    assert root_name(call_of(expression)) == name


@pytest.mark.parametrize(
    ("expression", "names", "expected"),
    [
        ("net.head.eval()", ("train", "eval"), True),
        ("net.eval()", (), True),
        ("net.eval()", ("train",), False),
        ("net.eval", (), False),
        ("eval()", ("eval",), False),
        ("nets[0]()", (), False),
    ],
)
def test_a_call_of_a_method(expression, names, expected):
    assert is_method_call(call_of(expression), *names) is expected


def test_the_receiver_of_a_method():
    assert text_of(find_receiver(call_of("net.head.eval()"))) == "net.head"
    assert find_receiver(call_of("f()")) is None


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1", 1),
        ("-1.5", -1.5),
        ("'a'", "a"),
        ("None", None),
        ("-'a'", None),
        ("+1", None),
        ("a", None),
        ("1 + 1", None),
        ("[1]", None),
    ],
)
def test_the_value_of_a_literal(code, value):
    assert as_constant(ast.parse(code).body[0].value) == value


def test_self_is_the_first_parameter():
    file = file_of("class A:\n    def f(this, x):\n        this.a, x.b, this.c.d\ndef g(): pass")
    method, function = file.tree.functions
    found = {text_of(node): self_attribute(node, method) for node in file.tree.nodes(ast.Attribute)}
    assert found == {"this.a": "a", "x.b": "", "this.c.d": "", "this.c": "c"}
    assert self_name(function) == ""


@pytest.mark.parametrize(
    ("expression", "name"),
    [("step()", "step"), ("optimizer.step()", "step"), ("steps[0]()", ""), ("step()()", "")],
)
def test_the_last_name_of_what_is_called(expression, name):
    assert called_name(call_of(expression)) == name


@pytest.mark.parametrize(("expression", "name"), [("a", "a"), ("a.b.c", "c"), ("a[0]", ""), ("f()", "")])
def test_the_name_of_a_variable_or_attribute(expression, name):
    assert last_name(call_of(expression)) == name


def test_the_variables_of_an_expression():
    assert names_in(call_of("f(a.b, [c for c in d], e=1)")) == {"f", "a", "c", "d"}


def test_only_the_literal_is_none():
    assert is_none(call_of("None")) and not is_none(call_of("0")) and not is_none(None)
