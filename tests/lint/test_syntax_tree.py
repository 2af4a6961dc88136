"""The nodes of a file: in the order of the text, each with what is around it and in it."""

import ast

import pytest
from support.lint_module import last, module_of, named

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
    module = module_of("f(g(1), h(2))[0](3)\nk(4)")
    assert [node.value for node in module.nodes(ast.Constant)] == [1, 2, 0, 3, 4]
    assert [text_of(node) for node in module.within(module.source.tree.body[-2], ast.Call)] == [
        "f(g(1), h(2))[0](3)", "f(g(1), h(2))", "g(1)", "h(2)"]
    deep = module_of("f(g(h(1)), 2)")
    assert [node.value for node in deep.within(last(deep), ast.Constant)] == [1, 2]
    assert [text_of(node) for node in module.nodes(ast.Subscript, ast.Constant)] == [
        "f(g(1), h(2))[0]", "1", "2", "0", "3", "4"]


@pytest.mark.parametrize(("call", "loops"), [
    ("a(x)", ["x", "While", "epoch"]), ("f(loader)", ["While", "epoch"]), ("step()", ["While", "epoch"]),
    ("range(9)", []), ("b(lambda: c())", ["While", "epoch"]), ("c()", []),
])
def test_the_loops_around_a_call_are_those_that_repeat_it(call, loops):
    module = module_of(CODE)
    around = module.loops_around(named(module, call))
    assert [text_of(loop.target) if isinstance(loop, ast.For) else "While" for loop in around] == loops


def test_the_statements_before_and_after():
    module = module_of("if x:\n    a()\nelse:\n    b()\n    c()\n    d()\n"
                       "try:\n    e()\nfinally:\n    f()\n    g()")

    def around(call):
        return tuple([text_of(item) for item in side]
                     for side in module.around(module.statement_of(named(module, call))))

    assert around("c()") == (["b()"], ["d()"])
    assert around("f()") == ([], ["g()"])
    assert around("a()") == ([], [])
    assert module.around(named(module, "c()")) == ([], [])


def test_what_is_inside_what():
    module, other = module_of(CODE), module_of(CODE)
    function, loop = module.functions[0], module.loops[0]
    assert module.inside(named(module, "a(x)"), loop) and not module.inside(function, loop)
    assert module.inside(loop, loop)
    assert not module.inside(named(other, "a(x)"), loop), "the same text in another file"
    assert [text_of(node) for node in module.tree(other.loops[0]) if isinstance(node, ast.Call)] == [
        text_of(node) for node in ast.walk(other.loops[0]) if isinstance(node, ast.Call)]


def test_what_is_around_a_node():
    module = module_of(CODE)
    call = named(module, "c()")
    assert module.function_of(call) is module.functions[0] is module.enclosing(call, ast.FunctionDef)
    assert isinstance(module.enclosing(call, ast.While, ast.Lambda), ast.Lambda)
    assert module.function_of(module.functions[0]) is None and module.enclosing(call, ast.ClassDef) is None


def test_what_is_mentioned():
    module = module_of("step(lr=rate, model=net.head)\ndef f(scale): pass")
    first, second = module.source.tree.body[-2:]
    assert module.words(first) == {"step", "lr", "rate", "model", "net", "head"}
    assert module.mentions(second, "scale") and not module.mentions(second, "f", "head")


def test_the_guards_of_a_statement_end_at_its_function():
    module = module_of("""
        if outside:
            def f():
                if a:
                    pass
                elif b(c()):
                    d()
    """)
    guards = module.guards(named(module, "d()"))
    assert [(text_of(test.test), inside) for test, inside in guards] == [("b(c())", True), ("a", False)]
    assert [text_of(test.test) for test, _ in module.guards(named(module, "c()"))] == ["a"]


def test_the_blocks_of_a_file_and_what_is_directly_in_each():
    module = module_of("a()\ndef f():\n    b()\n    def g():\n        c()")
    assert [getattr(block, "name", "file") for block in module.blocks] == ["f", "g", "file"]
    f, g = module.functions
    assert [[text_of(call) for call in module.calls if module.directly_in(call, block)]
            for block in (module.source.tree, f, g)] == [["a()"], ["b()"], ["c()"]]


def test_the_block_of_a_node_is_its_function_or_the_file():
    module = module_of("a()\ndef f():\n    b()")
    assert module.block_of(named(module, "b()")) is module.functions[0]
    assert module.block_of(named(module, "a()")) is module.source.tree
