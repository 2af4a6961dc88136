"""What one configuration of a program reaches."""

import ast

import pytest
from support.lint_file import file_of, last, named

from dpkb.lint.conditions import exclude, find_possible_values, is_conditional

BRANCHES = """
def f(args, kind, done):
    if args.kind == "a":
        one()
    elif kind in ("b", "c"):
        two()
    else:
        three()
    if not config["kind"] == "a":
        four()
    if args.get("kind") == "b":
        five()
    if done:
        return
    six()
    x = seven() if done else eight()
    if done and kind == "c":
        nine()
"""


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ("one", "two", True),
        ("one", "three", True),
        ("one", "four", True),
        ("one", "five", True),
        ("one", "six", False),
        ("two", "three", True),
        ("two", "four", False),
        ("two", "five", False),
        ("three", "five", True),
        ("six", "seven", True),
        ("seven", "eight", True),
        ("eight", "nine", True),
        ("nine", "five", True),
    ],
)
def test_nodes_that_no_configuration_reaches_together_exclude_each_other(one, other, excluded):
    file = file_of(BRANCHES)
    nodes = named(file, f"{one}()"), named(file, f"{other}()")
    assert exclude(file, *nodes) is exclude(file, *reversed(nodes)) is excluded


def test_what_no_setting_decides_is_not_conditional():
    file = file_of("a()\nif x:\n    b()\n")
    assert [is_conditional(file, named(file, text)) for text in ("a()", "b()")] == [False, True]


def test_the_values_of_other_configurations_are_left_out():
    code = """
    def make(name):
        if name == "a":
            return A()
        return B()
    def use(args):
        loss = make(args.name)
        other = C() if args.name == "a" else D()
        if args.name != "a":
            loss(other)
    """
    file = file_of(code)
    [call] = [node for node in file.tree.calls if ast.unparse(node) == "loss(other)"]
    values = [
        [ast.unparse(value) for value in find_possible_values(file, node, call)]
        for node in (call.func, call.args[0])
    ]
    assert values == [["B()"], ["D()"]]


def test_the_last_assignment_that_always_runs_counts():
    file = file_of("x = a()\nif t:\n    x = b()\nx = c()\nwith d:\n    x = e()\nf(x)")
    assert [ast.unparse(value) for value in find_possible_values(file, last(file).args[0], last(file))] == [
        "e()"
    ]
