"""Where a model is evaluated: what switches its mode, and what wants gradients."""

import pytest
from support.lint_module import last, module_of, named

from dpkb.lint import evaluation
from dpkb.lint.syntax import text_of


@pytest.mark.parametrize(("code", "expected"), [
    ("nn.Dropout(0.5)", True), ("nn.BatchNorm2d(8)", True), ("nn.functional.dropout(x)", True),
    ("nn.LSTM(8, 8, 2, dropout=0.1)", True), ("nn.LSTM(8, 8, 2)", False), ("nn.Linear(8, 8)", False),
    ("import torchvision\ntorchvision.models.resnet18()", True), ("Dropout(0.5)", False),
    ("nn.TransformerEncoderLayer(8, 2)", True), ("nn.LayerNorm(8)", False),
])
def test_layers_that_behave_differently_in_training_mode(code, expected):
    assert evaluation.has_mode_layers(module_of(code)) is expected


@pytest.mark.parametrize(("code", "expected"), [
    ("model", True), ("model = nn.Linear(8, 8)\nmodel", False), ("model = nn.Dropout()\nmodel", True),
    ("model = nn.DataParallel(other)\nmodel", True),
    ("class Net(nn.Module):\n    pass\nmodel = Net()\nmodel", False),
    ("class Net(nn.Module):\n    pass\nmodel", False),
    ("import timm\nmodel = timm.create_model('x')\nmodel", True),
])
def test_whether_the_mode_matters(code, expected):
    module = module_of(code)
    assert evaluation.mode_matters(module, last(module)) is expected


def test_the_calls_that_switch_its_mode():
    module = module_of("model.eval()\nself.net.eval()\nmodel.train()\nmodel.train(False)\ntorch.eval()\n"
                       "get().eval()")
    found = [name for name, _ in evaluation.mode_calls(module, module.source.tree, "eval")]
    assert found == ["model", "self.net"]
    assert [name for name, _ in evaluation.mode_calls(module, module.source.tree, "train")] == ["model"]


@pytest.mark.parametrize(("code", "expected"), [
    ("def validate(x): pass", True), ("def train_step(x): pass", False), ("def run(x): pass", False),
    ("def accuracy(x):\n    with torch.no_grad(): pass\n    return x", True),
    ("def accuracy(x):\n    return x", False), ("def accuracy(x):\n    print(x)", True),
    ("def test_model(x): pass", True), ("def test_model(): pass", False),
])
def test_a_function_that_evaluates(code, expected):
    module = module_of(code)
    assert evaluation.evaluates(module, module.functions[0]) is expected


@pytest.mark.parametrize(("code", "inner", "outer", "expected"), [
    ("ddp = DDP(net)", "net", {"ddp"}, True), ("ddp = DDP(self.net, 1)", "self.net", {"ddp"}, True),
    ("ddp = DDP(other)", "net", {"ddp"}, False), ("", "net.head", {"net"}, True),
    ("", "net2.head", {"net"}, False),
    ("", "self.net", {"self"}, True),
])
def test_a_model_that_wraps_another(code, inner, outer, expected):
    assert evaluation.wraps(module_of(code), inner, outer) is expected


@pytest.mark.parametrize(("code", "expected"), [
    ("model.eval()", False), ("for m in models:\n    m.eval()", True), ("models[0].eval()", True),
    ("get_model().eval()", True), ("self.eval()", True), ("torch.jit.load(x).eval()", False),
    ("model.set_eval_mode()", True), ("trainer.evaluate()", False), ("self.prep_eval(1)", True),
])
def test_an_eval_that_may_be_of_any_model(code, expected):
    assert evaluation.switches_unknown(module_of(code)) is expected


@pytest.mark.parametrize(("code", "strict", "expected"), [
    ("model(x).argmax(1)", True, True), ("p = model(x)\np.detach()", True, True),
    ("p = model(x)\ntorch.argmax(p, 1)", True, True), ("p = model(x)\nx.topk(p)", True, True),
    ("p = model(x)\np.numpy()", True, False), ("p = model(x)\np.numpy()", False, True),
    ("p = model(x)\nloss = f(p)\nloss.item()", True, True), ("p = model(x)\nq.item()", True, False),
    ("p = model(x)", False, False), ("print(model(x))", False, False),
    ("p.item()\np = model(x)", True, False),
])
def test_whether_the_graph_of_a_result_is_dropped(code, strict, expected):
    module = module_of(code)
    dropped = evaluation.graph_is_dropped(module, module.source.tree, named(module, "model(x)"), strict)
    assert dropped is expected


@pytest.mark.parametrize(("code", "expected"), [
    ("loss.backward()", True), ("torch.autograd.grad(a, b)", True), ("x.requires_grad", True),
    ("Variable(x, requires_grad=False)", False), ("f(x, requires_grad=True)", True),
    ("f(x, requires_grad=y)", True),
    ("optimizer.zero_grad()", True), ("model(x)", False),
])
def test_code_that_wants_gradients(code, expected):
    module = module_of(code)
    assert evaluation.wants_gradients(module, module.source.tree) is expected


@pytest.mark.parametrize(("code", "expected"), [
    ("model(x)", True), ("with torch.no_grad():\n    model(x)", False), ("def f():\n    model(x)\nf()", True),
    ("def f():\n    model(x)\nwith torch.no_grad():\n    f()", False), ("def f():\n    model(x)", True),
    ("def f():\n    model(x)\nf()\nwith torch.no_grad():\n    f()", False),
    ("@no_grad_decorator\ndef f():\n    model(x)", False),
    ("def f():\n    model(x)\ndef g():\n    f()\nwith torch.no_grad():\n    g()", False),
    ("def f():\n    model(x)\n    f()", True), ("def f():\n    model(x)\n    g()\ndef g():\n    f()", True),
])
def test_a_call_that_has_gradients(code, expected):
    module = module_of(code)
    assert evaluation.has_gradients(module, named(module, "model(x)")) is expected


@pytest.mark.parametrize(("decorator", "expected"), [
    ("@no_grad_decorator", False), ("@torch.inference_mode()", False), ("@fast_inference", False),
    ("@wraps(f)", True)])
def test_a_decorator_counts_the_same_in_the_function_and_in_its_caller(decorator, expected):
    for code in (f"{decorator}\ndef f():\n    model(x)\nf()",
                 f"def f():\n    model(x)\n{decorator}\ndef g():\n    f()",
                 f"def f():\n    model(x)\ndef g():\n    f()\n{decorator}\ndef h():\n    g()"):
        module = module_of(code)
        assert evaluation.has_gradients(module, named(module, "model(x)")) is expected, code


@pytest.mark.parametrize(("name", "expected"), [
    ("test_train.py", True), ("src/conftest.py", True), ("src/train_test.py", True), ("tests/run.py", True),
    ("a/tests/b/run.py", True), ("tests/a/b/run.py", False), ("latest/run.py", False), ("train.py", False)])
def test_a_file_that_is_a_test(name, expected):
    assert evaluation.in_tests(module_of("", name=name)) is expected


@pytest.mark.parametrize(("code", "expected"), [
    ("@torch.no_grad()\ndef f(): pass", True), ("def f():\n    torch.set_grad_enabled(False)", True),
    ("def f():\n    with torch.inference_mode(): pass", True), ("def f(): pass", False),
    ("@wraps\ndef f(): pass", False)])
def test_a_function_that_switches_gradients_off(code, expected):
    module = module_of(code)
    assert evaluation.switches_gradients_off(module, module.functions[0]) is expected


def test_the_blocks_of_a_file_and_what_is_directly_in_each():
    module = module_of("a()\ndef f():\n    b()\n    def g():\n        c()")
    assert [getattr(block, "name", "file") for block in evaluation.blocks(module)] == ["f", "g", "file"]
    f, g = module.functions
    assert [[text_of(call) for call in module.calls if evaluation.directly_in(module, call, block)]
            for block in (module.source.tree, f, g)] == [["a()"], ["b()"], ["c()"]]
