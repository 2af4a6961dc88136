"""The nodes of a file: in the order of the text, each with what is around it and in it."""

import ast

import pytest
from support.lint_file import file_of, last, named

from dpkb.lint.nodes import text_of

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
    assert [node.value for node in file.nodes(ast.Constant)] == [1, 2, 0, 3, 4]
    assert [text_of(node) for node in file.within(file.source.tree.body[-2], ast.Call)] == [
        "f(g(1), h(2))[0](3)", "f(g(1), h(2))", "g(1)", "h(2)"]
    deep = file_of("f(g(h(1)), 2)")
    assert [node.value for node in deep.within(last(deep), ast.Constant)] == [1, 2]
    assert [text_of(node) for node in file.nodes(ast.Subscript, ast.Constant)] == [
        "f(g(1), h(2))[0]", "1", "2", "0", "3", "4"]


@pytest.mark.parametrize(("call", "loops"), [
    ("a(x)", ["x", "While", "epoch"]), ("f(loader)", ["While", "epoch"]), ("step()", ["While", "epoch"]),
    ("range(9)", []), ("b(lambda: c())", ["While", "epoch"]), ("c()", []),
])
def test_the_loops_around_a_call_are_those_that_repeat_it(call, loops):
    file = file_of(CODE)
    around = file.loops_around(named(file, call))
    assert [text_of(loop.target) if isinstance(loop, ast.For) else "While" for loop in around] == loops


def test_the_statements_before_and_after():
    file = file_of("if x:\n    a()\nelse:\n    b()\n    c()\n    d()\n"
                   "try:\n    e()\nfinally:\n    f()\n    g()")

    def around(call):
        return tuple([text_of(item) for item in side]
                     for side in file.statements_around(file.statement_of(named(file, call))))

    assert around("c()") == (["b()"], ["d()"])
    assert around("f()") == ([], ["g()"])
    assert around("a()") == ([], [])
    assert file.statements_around(named(file, "c()")) == ([], [])


def test_whether_a_node_is_inside_another():
    file, other = file_of(CODE), file_of(CODE)
    function, loop = file.functions[0], file.loops[0]
    assert file.is_inside(named(file, "a(x)"), loop) and not file.is_inside(function, loop)
    assert file.is_inside(loop, loop)
    assert not file.is_inside(named(other, "a(x)"), loop), "the same text in another file"
    assert [text_of(node) for node in file.tree(other.loops[0]) if isinstance(node, ast.Call)] == [
        text_of(node) for node in ast.walk(other.loops[0]) if isinstance(node, ast.Call)]


def test_the_nodes_around_a_node():
    file = file_of(CODE)
    call = named(file, "c()")
    assert file.function_of(call) is file.functions[0] is file.enclosing(call, ast.FunctionDef)
    assert isinstance(file.enclosing(call, ast.While, ast.Lambda), ast.Lambda)
    assert file.function_of(file.functions[0]) is None and file.enclosing(call, ast.ClassDef) is None


def test_the_words_of_a_tree():
    file = file_of("step(lr=rate, model=net.head)\ndef f(scale): pass")
    first, second = file.source.tree.body[-2:]
    assert file.words(first) == {"step", "lr", "rate", "model", "net", "head"}
    assert file.mentions(second, "scale") and not file.mentions(second, "f", "head")


def test_the_guards_of_a_statement_end_at_its_function():
    file = file_of("""
        if outside:
            def f():
                if a:
                    pass
                elif b(c()):
                    d()
    """)
    guards = file.guards(named(file, "d()"))
    assert [(text_of(test.test), inside) for test, inside in guards] == [("b(c())", True), ("a", False)]
    assert [text_of(test.test) for test, _ in file.guards(named(file, "c()"))] == ["a"]


def test_the_blocks_of_a_file_and_what_is_directly_in_each():
    file = file_of("a()\ndef f():\n    b()\n    def g():\n        c()")
    assert [getattr(block, "name", "file") for block in file.blocks] == ["f", "g", "file"]
    f, g = file.functions
    assert [[text_of(call) for call in file.calls if file.is_directly_in(call, block)]
            for block in (file.source.tree, f, g)] == [["a()"], ["b()"], ["c()"]]


def test_the_block_of_a_node_is_its_function_or_the_file():
    file = file_of("a()\ndef f():\n    b()")
    assert file.block_of(named(file, "b()")) is file.functions[0]
    assert file.block_of(named(file, "a()")) is file.source.tree
