"""What created a value, and which class it is of."""

import ast

import pytest
from support.lint_file import HEAD, file_of, last, named

from dpkb.lint.project import Project
from dpkb.lint.value_origins import ValueOrigins


def origins(code):
    file = file_of(code)
    return [ast.unparse(origin) for origin in file.values.origins(last(file))]


def types(code):
    file = file_of(code)
    return [kind if isinstance(kind, str) else f"class {kind.name}" for kind in file.values.types(last(file))]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = nn.Linear(2, 2)\nb = a\nb", ["nn.Linear(2, 2)"]),
        ("a = f() if x else g()\na", ["f()", "g()"]),
        ("a = 1\nif x:\n    a = 2\na", ["1", "2"]),
        ("a, b = f(), g()\nb", ["g()"]),
        ("loaders = {'train': f(), 'val': g()}\nloaders['val']", ["g()"]),
        ("loaders = {phase: f(phase) for phase in phases}\nloaders['train']", ["f(phase)"]),
        ("layers = [f(), g()]\nlayers[1]", ["g()"]),
        ("def build():\n    return f(), g()\n\na, b = build()\nb", ["g()"]),
        ("loaders = {'train': f(), 'val': g()}\nloaders[phase]", ["f()", "g()"]),
        ("layers = [f(), g()]\nlayers[2]", ["layers[2]"]),
        ("layers = [f(), g()]\nlayers[0:1]", ["layers[0:1]"]),
        ("a = b = f()\nb", ["f()"]),
        ("(a := f())", ["f()"]),
        ("a, b = accelerator.prepare(f(), g())\nb", ["g()"]),
        ("a, b = torch.utils.data.random_split(x, [8, 2])\nb", ["torch.utils.data.random_split(x, [8, 2])"]),
        ("for a in f():\n    pass\na", []),
        ("net.head", ["net.head"]),
        ("a = a\na", []),
        ("a = b\nb = a\na", []),
        ("unknown", []),
    ],
)
def test_origins_follow_assignments(code, expected):
    assert origins(code) == expected


CIRCLE = """
    b = a
    a = nn.Linear(2, 2)
    a = b
    a, b
"""


@pytest.mark.parametrize("first", ["a", "b"])
def test_the_origins_of_names_in_a_circle_do_not_depend_on_the_first_question(first):
    file = file_of(CIRCLE)
    file.values.origins(named(file, first))
    linear = named(file, "nn.Linear(2, 2)")
    assert [file.values.origins(named(file, name)) for name in ("a", "b")] == [[linear], [linear]]


RECURSIVE = """
    def build(n):
        return wrap(n) if n else nn.Linear(2, 2)

    def wrap(n):
        return build(n - 1) if n else nn.ReLU()
"""


@pytest.mark.parametrize("first", ["build(n - 1)", "wrap(n)"])
def test_the_classes_that_functions_in_a_circle_return(first):
    file = file_of(RECURSIVE)
    file.values.types(named(file, first))
    for name in ("build(n - 1)", "wrap(n)"):
        assert set(file.values.types(named(file, name))) == {"torch.nn.Linear", "torch.nn.ReLU"}


def test_the_origins_of_a_parameter_are_the_arguments_of_its_calls():
    file = file_of("""
        def train(model, rate=0.1):
            model

        train(nn.Linear(2, 2))
        train(rate=1, model=nn.Conv2d(3, 3, 1))
    """)
    [function] = [node for node in file.tree.root.body if isinstance(node, ast.FunctionDef)]
    assert [ast.unparse(origin) for origin in file.values.origins(function.body[0].value)] == [
        "nn.Linear(2, 2)",
        "nn.Conv2d(3, 3, 1)",
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("class A:\n    def __init__(self, x):\n        {}\nA(f())\nB(g())", ["f()"]),
        ("class A:\n    def step(self, x):\n        {}\na = A()\na.step(f())\nb.step(g())", ["f()"]),
        ("class A:\n    def step(self, x):\n        {}\n    def run(self):\n        self.step(f())", ["f()"]),
        ("class A:\n    @staticmethod\n    def step(x):\n        {}\na = A()\na.step(f())", ["f()"]),
        ("def step(*x):\n    {}\nstep(f())", []),
        ("def step(x):\n    {}\n    step(g())\nstep(f())", ["f()"]),
        ("def step(x=f()):\n    {}\nstep()", ["f()"]),
        ("def step(x):\n    {}\nstep(*xs)", []),
    ],
)
def test_only_calls_of_the_same_function_count_for_a_parameter(code, expected):
    file = file_of(code.format("x"))
    parameter = next(node.value for node in file.tree.nodes(ast.Expr) if ast.unparse(node) == "x")
    assert [ast.unparse(origin) for origin in file.values.origins(parameter)] == expected


@pytest.mark.parametrize(
    ("start", "link", "end"),
    [
        ("x0 = {}\n", "x{1} = x{0}\n", "x{0}"),
        ("x0, y0 = {}, 1\n", "x{1}, y{1} = x{0}, y{0}\n", "x{0}"),
        ("x0 = {}\n", "x{1} = [x{0} if c else x{0}][0]\n", "x{0}"),
        ("x0 = {}\n", "x{1} = x{0}.cuda()\n", "x{0}"),
        ("def f0():\n    return {}\n", "def f{1}():\n    return f{0}()\n", "f{0}()"),
        ("def f0(a):\n    return {}\n", "def f{1}(a):\n    return f{0}(a), f{0}(a)\n", "f{0}(1)[1]"),
        ("class A:\n  def __init__(self):\n    self.x0 = {}\n", "    self.x{1} = self.x{0}\n", "A().x{0}"),
        # In a circle, from which one name leads out.
        ("x0 = x{1}\n", "x{1} = x{0}\n", "x0 = {}\nx{0}"),
    ],
)
def test_a_chain_may_be_longer_than_the_stack_of_python(start, link, end):
    number = 5000
    text = start.replace("{}", "nn.Linear(1, 1)").replace("{1}", str(number))
    text += "".join(link.format(index, index + 1) for index in range(number))
    file = file_of(text + end.replace("{}", "nn.Linear(1, 1)").replace("{0}", str(number)), HEAD)
    node = last(file)
    if isinstance(node, ast.Attribute):  # what the method itself sets
        node = file.definitions.classes["A"].attributes[node.attr][0][1]
    if not isinstance(node, ast.Subscript):
        assert file.values.types(node) == ["torch.nn.Linear"]
    assert len(file.values.origins(node)) == 1


def test_the_questions_about_a_long_circle_do_not_each_go_around_it(monkeypatch):
    file, searched = file_of("x0 = x500\n" + "".join(f"x{i + 1} = x{i}\n" for i in range(500))), []
    find_origins = ValueOrigins._find_origins
    monkeypatch.setattr(
        ValueOrigins, "_find_origins", lambda self, node: searched.append(node) or find_origins(self, node)
    )
    assert all(file.values.origins(name) == [] for name in file.tree.nodes(ast.Name))
    assert 500 < len(searched) <= 2 * 501


def test_what_a_broken_search_has_found_is_dropped(monkeypatch):
    file = file_of("a = b\nb = nn.Linear(1, 1)\na")
    with monkeypatch.context() as patch:
        patch.setattr(file.scopes, "bindings", lambda name: 1 / (name.id == "a"))
        with pytest.raises(TypeError):
            file.values.origins(last(file))
    assert file.values.types(last(file)) == ["torch.nn.Linear"]


def test_the_number_of_origins_is_limited():
    assert len(origins("".join(f"a = f{number}()\n" for number in range(30)) + "a")) == 12


def test_an_attribute_of_self_is_looked_up_in_all_methods_and_base_classes():
    file = file_of("""
        class Base(nn.Module):
            def __init__(self):
                self.head = nn.Linear(2, 2)

        class Net(Base):
            def replace(self):
                self.head = nn.Identity()

            def forward(self, x):
                self.head
    """)
    line = file.definitions.classes["Net"].methods["forward"].body[0].value
    origins = file.values.origins(line)
    assert [ast.unparse(origin) for origin in origins] == ["nn.Identity()", "nn.Linear(2, 2)"]
    assert file.values.is_a(line, "torch.nn.Module")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("loader = DataLoader(data)\nloader", ["torch.utils.data.DataLoader"]),
        ("class Net(nn.Module):\n    pass\n\nnet = Net().cuda()\nnet", ["class Net"]),
        ("net = torch.compile(nn.Linear(2, 2))\nnet", ["torch.nn.Linear"]),
        ("def build():\n    return nn.Linear(2, 2)\n\nbuild()", ["torch.nn.Linear"]),
        ("import copy\ncopy.deepcopy(nn.Linear(1, 1))", ["torch.nn.Linear"]),
        ("nn.Linear(1, 1).to('cuda').train()", ["torch.nn.Linear"]),
        ("nn.Linear(1, 1).parameters()", []),
        ("accelerator.prepare(nn.Linear(1, 1))", ["torch.nn.Linear"]),
        ("from transformers import AutoModel\nAutoModel.from_pretrained('x')", ["transformers.AutoModel"]),
        ("a = nn.Linear(1, 1) if x else nn.Conv2d(1, 1, 1)\na", ["torch.nn.Linear", "torch.nn.Conv2d"]),
        ("something()", []),
    ],
)
def test_types(code, expected):
    assert types(code) == expected


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("3", 3),
        ("a = 3\na", 3),
        ("a = -1\na", -1),
        ("a = 3\na = 4\na", None),
        ("a = b\na", None),
        ("f()", None),
        ("a = 'x'\nb = a\nb", "x"),
    ],
)
def test_the_constant_that_a_name_stands_for(code, value):
    file = file_of(code)
    assert file.values.constant(last(file)) == value


def test_a_name_in_a_class_of_another_file_is_one_of_that_file(tmp_path):
    (tmp_path / "base.py").write_text(
        HEAD + "head = nn.Linear(2, 2)\nclass Base(nn.Module):\n"
        "    def __init__(self):\n        self.head = head\n"
    )
    (tmp_path / "net.py").write_text(
        HEAD + "from base import Base\nhead = nn.Conv2d(3, 3, 1)\n"
        "class Net(Base):\n    def forward(self, x):\n        self.head\n"
    )
    file = Project([tmp_path / "base.py", tmp_path / "net.py"]).parse(tmp_path / "net.py")
    line = file.definitions.classes["Net"].methods["forward"].body[0].value
    assert [ast.unparse(origin) for origin in file.values.origins(line)] == ["nn.Linear(2, 2)"]
