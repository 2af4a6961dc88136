"""Where gradients are on, what needs them, and what only reads a result."""

import ast

import pytest
from support.lint_file import file_of, named

from dpkb.lint import gradients


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("with torch.no_grad():\n    model(x)", True),
        ("with torch.inference_mode(), f():\n    model(x)", True),
        ("@torch.no_grad()\ndef f():\n    model(x)", True),
        ("@torch.no_grad()\nclass A:\n    model(x)", False),
        ("torch.set_grad_enabled(False)\nif a:\n    model(x)", True),
        ("model(x)\ntorch.set_grad_enabled(False)", False),
        ("torch.set_grad_enabled(True)\nmodel(x)", False),
        ("with torch.enable_grad():\n    model(x)", False),
        ("if a:\n    torch.set_grad_enabled(False)\nmodel(x)", False),
    ],
)
def test_code_that_runs_without_gradients(code, expected):
    file = file_of(code)
    assert gradients.is_without_gradients(file, named(file, "model(x)")) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("model(x)", True),
        ("with torch.no_grad():\n    model(x)", False),
        ("def f():\n    model(x)\nf()", True),
        ("def f():\n    model(x)\nwith torch.no_grad():\n    f()", False),
        ("def f():\n    model(x)", True),
        ("def f():\n    model(x)\nf()\nwith torch.no_grad():\n    f()", False),
        ("@no_grad_decorator\ndef f():\n    model(x)", False),
        ("def f():\n    model(x)\ndef g():\n    f()\nwith torch.no_grad():\n    g()", False),
        ("def f():\n    model(x)\n    f()", True),
        ("def f():\n    model(x)\n    g()\ndef g():\n    f()", True),
    ],
)
def test_a_call_that_has_gradients(code, expected):
    file = file_of(code)
    assert gradients.has_gradients(file, named(file, "model(x)")) is expected


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("@no_grad_decorator", False),
        ("@torch.inference_mode()", False),
        ("@fast_inference", False),
        ("@wraps(f)", True),
    ],
)
def test_a_decorator_counts_the_same_in_the_function_and_in_its_caller(decorator, expected):
    for code in (
        f"{decorator}\ndef f():\n    model(x)\nf()",
        f"def f():\n    model(x)\n{decorator}\ndef g():\n    f()",
        f"def f():\n    model(x)\ndef g():\n    f()\n{decorator}\ndef h():\n    g()",
    ):
        file = file_of(code)
        assert gradients.has_gradients(file, named(file, "model(x)")) is expected, code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("@torch.no_grad()\ndef f(): pass", True),
        ("def f():\n    torch.set_grad_enabled(False)", True),
        ("def f():\n    with torch.inference_mode(): pass", True),
        ("def f(): pass", False),
        ("def f():\n    torch.set_grad_enabled(True)", True),
        ("@wraps\ndef f(): pass", False),
    ],
)
def test_a_function_that_switches_gradients(code, expected):
    file = file_of(code)
    assert gradients.switches_gradients(file, file.tree.functions[0]) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("loss.backward()", True),
        ("torch.autograd.grad(a, b)", True),
        ("x.requires_grad", True),
        ("Variable(x, requires_grad=False)", False),
        ("f(x, requires_grad=True)", True),
        ("f(x, requires_grad=y)", True),
        ("optimizer.zero_grad()", True),
        ("model(x)", False),
    ],
)
def test_code_that_wants_gradients(code, expected):
    file = file_of(code)
    assert gradients.wants_gradients(file, file.tree.root) is expected


@pytest.mark.parametrize(
    ("code", "strict", "expected"),
    [
        ("model(x).argmax(1)", True, True),
        ("p = model(x)\np.detach()", True, True),
        ("p = model(x)\ntorch.argmax(p, 1)", True, True),
        ("p = model(x)\nx.topk(p)", True, True),
        ("p = model(x)\np.numpy()", True, False),
        ("p = model(x)\np.numpy()", False, True),
        ("p = model(x)\nloss = f(p)\nloss.item()", True, True),
        ("p = model(x)\nq.item()", True, False),
        ("p = model(x)", False, False),
        ("print(model(x))", False, False),
        ("p.item()\np = model(x)", True, False),
    ],
)
def test_whether_the_graph_of_a_result_is_dropped(code, strict, expected):
    file = file_of(code)
    dropped = gradients.graph_is_dropped(file, file.tree.root, named(file, "model(x)"), strict)
    assert dropped is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("with torch.no_grad(): pass", True),
        ("with a, torch.inference_mode(): pass", True),
        ("with torch.set_grad_enabled(True): pass", True),
        ("with torch.enable_grad(): pass", False),
    ],
)
def test_a_block_that_switches_gradients(code, expected):
    (block,) = file_of(code).tree.nodes(ast.With)
    assert gradients.block_switches_gradients(block) is expected
