"""The nodes of a file: in the order of the text, each with what is around it and in it."""

import ast

import pytest
from support.lint_file import file_of, last, named

from dpkb.lint.nodes import LOOPS, text_of

CODE = """
    def train(loader):
        for epoch in range(9):
            while step():
                for x in f(loader):
                    a(x)
                b(lambda: c())
            else:
                pass
"""


def test_nodes_come_in_the_order_of_the_text():
    file = file_of("f(g(1), h(2))[0](3)\nk(4)")
    assert [node.value for node in file.tree.nodes(ast.Constant)] == [1, 2, 0, 3, 4]
    assert [text_of(node) for node in file.tree.within(file.tree.root.body[-2], ast.Call)] == [
        "f(g(1), h(2))[0](3)",
        "f(g(1), h(2))",
        "g(1)",
        "h(2)",
    ]
    deep = file_of("f(g(h(1)), 2)")
    assert [node.value for node in deep.tree.within(last(deep), ast.Constant)] == [1, 2]
    assert [text_of(node) for node in file.tree.nodes(ast.Subscript, ast.Constant)] == [
        "f(g(1), h(2))[0]",
        "1",
        "2",
        "0",
        "3",
        "4",
    ]


@pytest.mark.parametrize(
    ("call", "loops"),
    [
        ("a(x)", ["x", "While", "epoch"]),
        ("f(loader)", ["While", "epoch"]),
        ("step()", ["While", "epoch"]),
        ("range(9)", []),
        ("b(lambda: c())", ["While", "epoch"]),
        ("c()", []),
    ],
)
def test_the_loops_around_a_call_are_those_that_repeat_it(call, loops):
    file = file_of(CODE)
    around = file.tree.loops_around(named(file, call))
    assert [text_of(loop.target) if isinstance(loop, ast.For) else "While" for loop in around] == loops


def test_the_statements_before_and_after():
    file = file_of(
        "if x:\n    a()\nelse:\n    b()\n    c()\n    d()\ntry:\n    e()\nfinally:\n    f()\n    g()"
    )

    def around(call):
        return tuple(
            [text_of(item) for item in side]
            for side in file.tree.statements_around(file.tree.statement_of(named(file, call)))
        )

    assert around("c()") == (["b()"], ["d()"])
    assert around("f()") == ([], ["g()"])
    assert around("a()") == ([], [])
    assert file.tree.statements_around(named(file, "c()")) == ([], [])


def test_the_bodies_and_else_branches_in_a_node():
    file = file_of(
        "def f(x):\n    a()\n    try:\n        b()\n    except E:\n        c()\n    else:\n"
        "        d()\n    if (lambda: x):\n        e()"
    )
    branches = file.tree.branches_in(file.tree.functions[0])
    assert [[text_of(item) for item in branch if isinstance(item, ast.Expr)] for branch in branches] == [
        ["a()"],
        ["b()"],
        ["d()"],
        ["c()"],
        ["e()"],
        [],
    ]


def test_whether_a_node_is_inside_another():
    file, other = file_of(CODE), file_of(CODE)
    function, loop = file.tree.functions[0], file.tree.nodes(*LOOPS)[0]
    assert file.tree.is_inside(named(file, "a(x)"), loop) and not file.tree.is_inside(function, loop)
    assert file.tree.is_inside(loop, loop)
    assert not file.tree.is_inside(named(other, "a(x)"), loop), "the same text in another file"
    other_loop = other.tree.nodes(*LOOPS)[0]
    assert [text_of(node) for node in file.tree.subtree(other_loop) if isinstance(node, ast.Call)] == [
        text_of(node) for node in ast.walk(other_loop) if isinstance(node, ast.Call)
    ]


def test_the_nodes_around_a_node():
    file = file_of(CODE)
    call = named(file, "c()")
    assert file.tree.function_of(call) is file.tree.functions[0] is file.tree.enclosing(call, ast.FunctionDef)
    assert isinstance(file.tree.enclosing(call, ast.While, ast.Lambda), ast.Lambda)
    assert file.tree.function_of(file.tree.functions[0]) is None
    assert file.tree.enclosing(call, ast.ClassDef) is None


def test_the_words_of_a_tree():
    file = file_of("step(lr=rate, model=net.head)\ndef f(scale): pass")
    first, second = file.tree.root.body[-2:]
    assert file.tree.words(first) == {"step", "lr", "rate", "model", "net", "head"}
    assert file.tree.mentions(second, "scale") and not file.tree.mentions(second, "f", "head")


def test_the_guards_of_a_statement_end_at_its_function():
    file = file_of("""
        if outside:
            def f():
                if a:
                    pass
                elif b(c()):
                    d()
    """)
    guards = file.tree.guards(named(file, "d()"))
    assert [(text_of(test.test), inside) for test, inside in guards] == [("b(c())", True), ("a", False)]
    assert [text_of(test.test) for test, _ in file.tree.guards(named(file, "c()"))] == ["a"]


def test_the_block_of_a_node_is_its_function_or_the_file():
    file = file_of("a()\ndef f():\n    b()")
    assert file.tree.block_of(named(file, "b()")) is file.tree.functions[0]
    assert file.tree.block_of(named(file, "a()")) is file.tree.root


def test_the_statements_between_two_of_one_block():
    file = file_of("if x:\n    a()\n    b()\n    c()\nelse:\n    d()")
    a, b, c, d = (file.tree.statement_of(named(file, f"{name}()")) for name in "abcd")
    assert file.tree.statements_between(a, c) == [b] and file.tree.statements_between(a, b) == []
    assert file.tree.statements_between(c, a) is None and file.tree.statements_between(a, d) is None


def test_what_statements_assign():
    file = file_of("a = b\nself.c, d[e] = f\ndel g\nfor h in i: pass", head="")
    assert file.tree.assigned_in(*file.tree.root.body) == {"a", "self.c", "g", "h"}
