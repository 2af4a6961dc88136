"""Edits of a source: each is applied to it, and the result is compared as text."""

import ast
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.lint_file import file_of, last, named

from dpkb.lint.edits import (
    add_argument,
    insert_after,
    insert_lines,
    remove_argument,
    remove_attribute,
    replace,
    source_of,
)
from dpkb.lint.finding import Certainty
from dpkb.lint.fix import apply
from dpkb.lint.nodes import LOOPS


def applied(file, *edits):
    finding = file.finding("ZZ1", file.tree.root.body[0], Certainty.CERTAIN, "", "", edits)
    assert finding.rewrite, "the rule has no correction to offer"
    return apply(file.source.text, [finding])[0]


def file_without_head(code):
    return file_of(code, head="")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a, shuffle=True)", "f(a)"),
        ("f(shuffle=True, b=2)", "f(b=2)"),
        ("f(shuffle=True)", "f()"),
        ("f(shuffle=True,)", "f()"),
        ("f(\n  shuffle=True,\n)", "f(\n  )"),
        ("f(shuffle=True, *rest, **more)", "f(*rest, **more)"),
        ("f(a, b=1, shuffle=True, c=2)", "f(a, b=1, c=2)"),
        ("f(a,\n  shuffle=True,\n  c=2)", "f(a,\n  c=2)"),
        ("f(a,\n  shuffle=True,\n  )", "f(a,\n  )"),
        ("f('größe', shuffle=True)", "f('größe')"),
        ("f((a + b), shuffle=True, c=2)", "f((a + b), c=2)"),
        ("f(((a +\n   b)\n  ), shuffle=True)", "f(((a +\n   b)\n  ))"),
        ("f(b=(1), shuffle=(True))", "f(b=(1))"),
        ("f(a  # all\n  , shuffle=True)", "f(a  # all\n  )"),
        ("f(a\n, shuffle=True)", "f(a\n)"),
    ],
)
def test_an_argument_is_removed_with_its_comma(before, after):
    file = file_without_head(before)
    edit = remove_argument(file, last(file), "shuffle")
    assert applied(file, edit) == after
    ast.parse(after)


ARGUMENTS = [
    "a",
    "(a)",
    "((a + b))",
    "f(a, b)",
    "'x, y'",
    "(a, b)",
    "*rest",
    "*(rest)",
    "b=1",
    "c=(2)",
    "**more",
    "d=f(x,\n  y)",
    "(a\n + b)",
    "'größe'",
    "(\n a\n )",
]
COMMAS = [",", ", ", ",\n  ", " , ", "\n  , ", ",  # why, then\n  ", "  # why, then\n , "]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from(ARGUMENTS), st.sampled_from(COMMAS)), max_size=4),
    st.integers(0, 4),
    st.sampled_from(COMMAS),
    st.sampled_from(["", ",", ",\n", "\n", ",  # last\n"]),
)
def test_other_arguments_comments_and_parentheses_stay(others, place, comma, end):
    pieces = [*others[:place], ("shuffle=True", comma), *others[place:]]
    code = "f(" + "".join(text + comma for text, comma in pieces[:-1]) + pieces[-1][0] + end + ")"
    try:
        file = file_without_head(code)
    except SyntaxError:
        return  # a positional argument after a keyword
    call = last(file)
    edit = remove_argument(file, call, "shuffle")
    assert edit or "#" in code
    if edit:
        call.keywords = [keyword for keyword in call.keywords if keyword.arg != "shuffle"]
        assert ast.dump(ast.parse(applied(file, edit))) == ast.dump(file.tree.root)


@pytest.mark.parametrize(
    "code",
    [
        "f(a,  # all of it\n  shuffle=True)",
        "f(shuffle=True,  # in any order\n  b=1)",
        "f(a, b=2)",
        "f(**shuffle)",
    ],
)
def test_a_missing_argument_or_one_with_a_comment_has_no_edit(code):
    file = file_without_head(code)
    assert remove_argument(file, last(file), "shuffle") is None


def test_a_comment_after_the_argument_stays():
    file = file_without_head("f(a, shuffle=True,  # why\n  b=1)")
    edit = remove_argument(file, last(file), "shuffle")
    assert applied(file, edit) == "f(a,  # why\n  b=1)"


def test_lines_have_the_indentation_of_the_statement():
    file = file_without_head(
        textwrap.dedent("""
        def train():
        \tx = 'é'; f()
        \tfor a in b:
        \t\tpass
    """)
    )
    (loop,) = file.tree.nodes(*LOOPS)
    assert applied(file, insert_lines(file, loop, ["if x:", "    g()"])) == file.source.text.replace(
        "\tfor", "\tif x:\n\t    g()\n\tfor"
    )
    second = file.tree.statement_of(named(file, "f()"))
    assert insert_lines(file, second, ["g()"]) is None, "it shares its line"


@pytest.mark.parametrize(
    "code",
    [
        "for a in b: \\\n  pass",
        "for a in b: pass",
    ],
)
def test_no_line_is_written_into_a_line_that_goes_on(code):
    file = file_without_head(code)
    (loop,) = file.tree.nodes(*LOOPS)
    assert insert_lines(file, loop.body[0], ["g()"]) is None


def test_lines_are_written_above_the_decorators():
    file = file_without_head("@f\n@g\ndef h(): pass\n")
    assert applied(file, insert_lines(file, file.tree.functions[0], ["x"])) == "x\n@f\n@g\ndef h(): pass\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a)", "f(a, b=1)"),
        ("f(a,)", "f(a, b=1,)"),
        ("f((a))", "f((a), b=1)"),
        ("f(c=(0.5),)", "f(c=(0.5), b=1,)"),
        ("f(\n  'é',  # all\n)", "f(\n  'é', b=1,  # all\n)"),
        ("f((\n  a\n ) )", "f((\n  a\n ), b=1 )"),
        ("f(((a)\n),\n)", "f(((a)\n), b=1,\n)"),
        ("f(x for x in y)", None),
        ("f()", None),
        ("f((a)  # one )\n)", None),
    ],
)
def test_an_argument_is_added_after_the_last(before, after):
    file = file_without_head(before)
    edit = add_argument(file, last(file), "b=1")
    assert (applied(file, edit) if edit else None) == after


def test_no_comment_is_replaced():
    file = file_without_head("x = (  # all\n  a)\n")
    (statement,) = file.tree.root.body
    assert replace(file, statement, "y = a") is None
    assert applied(file, replace(file, statement, "x = (  # all\n a)")) == "x = (  # all\n a)\n"


def test_a_node_is_replaced_and_a_text_follows_it():
    file = file_without_head("'größe'; net.forward(x)\n")
    assert applied(file, replace(file, named(file, "x"), "y")) == "'größe'; net.forward(y)\n"
    assert applied(file, insert_after(named(file, "x"), ".cpu()")) == "'größe'; net.forward(x.cpu())\n"
    assert applied(file, remove_attribute(file, named(file, "net.forward"))) == "'größe'; net(x)\n"


def test_the_source_of_a_node_is_as_it_is_written():
    file = file_without_head("f({  'a':1 })")
    assert source_of(file, last(file).args[0]) == "{  'a':1 }"
