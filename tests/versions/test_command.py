"""`dpkb versions` on small trees."""

import json
from functools import partial

import pytest
from support.environments import make_environment

NEW = "import numpy as np\nrng = np.random.default_rng(0)\n"
OLD = "import numpy as np\n\nx = np.float_(3)\n"


@pytest.fixture
def run(dpkb_in_process, tmp_path, monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    return partial(dpkb_in_process, cwd=tmp_path)


def test_the_range_and_the_line_that_sets_it(run, tmp_path):
    (tmp_path / "train.py").write_text(NEW + OLD)
    result = run("versions", "train.py", "--json")
    answer = json.loads(result.stdout)
    package = answer["packages"][0]
    assert (result.returncode, package["name"], package["needs"]) == (0, "numpy", ">=1.17,<2.0")
    because = {reason["name"]: reason for reason in package["because"]}
    assert because["numpy.random.default_rng"]["first"] == "1.17"
    assert (because["numpy.float_"]["line"], because["numpy.float_"]["last"]) == (5, "1.26")
    assert "float64" in because["numpy.float_"]["instead"]
    assert answer["requirements"] == ["numpy==1.26.4"]
    assert package["installed"] is None and package["ok"] is None


@pytest.mark.parametrize(
    ("version", "code", "ok"),
    [
        ("1.26.4", 0, True),
        ("2.1.0", 1, False),
        ("2.1.0+local", 1, False),
        ("2.1.0.dev20240801", 1, False),
        ("2.0.0rc1", 0, True),  # between 1.26, which has the name, and 2.0
        ("99.1", 0, None),
    ],
)
def test_what_is_installed(run, tmp_path, version, code, ok):
    (tmp_path / "train.py").write_text(OLD)
    python = make_environment(tmp_path / "env", numpy=version)
    result = run("versions", "train.py", "--json", "--python", str(python))
    assert (result.returncode, json.loads(result.stdout)["packages"][0]["ok"]) == (code, ok)


def test_notebooks_requirements_and_pyproject(run, tmp_path):
    cell = {"cell_type": "code", "source": ["%matplotlib inline\n", "import numpy as np\n", "np.float_(1)"]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell]}))
    (tmp_path / "requirements.txt").write_text("numpy==2.1.3  # comment\n-r other.txt\n")
    result = run("versions", ".", "--json")
    package = json.loads(result.stdout)["packages"][0]
    assert (result.returncode, package["ok"]) == (1, False)
    assert (package["because"][0]["cell"], package["because"][0]["line"]) == (1, 3)
    (tmp_path / "requirements.txt").unlink()
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["numpy>=1.20"]\n')
    assert run("versions", ".").returncode == 0


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ('"^2.0"', 1), ('"^1.20"', 0), ('"~1.26"', 0), ('"2.1.0"', 1), ('"*"', 0), ('{version = "^2.1", extras = ["x"]}', 1),
        ('">=1.20,<2"', 0), ('"^0.3"', 0), ('"^1.20, !=1.21"', 0),
    ],
)  # fmt: skip
def test_pins_of_poetry(run, tmp_path, wanted, code):
    (tmp_path / "train.py").write_text(OLD)
    text = f'[tool.poetry.dependencies]\npython = "^3.9"\nnumpy = {wanted}\n'
    (tmp_path / "pyproject.toml").write_text(text)
    assert run("versions", ".").returncode == code


@pytest.mark.parametrize(
    "pin", ["numpy==2.1.0+local", "numpy==2.1.0.dev20240801", "numpy ~= 2.1 ; python_version > '3'"]
)
def test_pins_in_a_file_of_any_name(run, tmp_path, pin):
    (tmp_path / "train.py").write_text(OLD)
    (tmp_path / "deps.txt").write_text(f"--find-links wheels\n{pin}\n")
    assert run("versions", "train.py", "deps.txt").returncode == 1


def test_the_requirements_file(run, tmp_path):
    (tmp_path / "train.py").write_text(OLD)
    assert run("versions", "train.py", "--requirements", "r.txt").returncode == 0
    text = (tmp_path / "r.txt").read_text()
    assert "numpy==1.26.4" in text and "minor release" in text


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("from numpy import *\n", "import * of numpy"),
        ("import numpy\ngetattr(numpy, name)\n", "built at run time"),
        ("import numpy\nimport unheard_of\n", "no history of unheard_of"),
    ],
)
def test_what_is_not_seen_is_said_in_one_line(run, tmp_path, code, text):
    (tmp_path / "train.py").write_text(code)
    result = run("versions", "train.py")
    assert text in " ".join(result.stdout.split()) and result.returncode == 0


def test_a_copy_in_the_tree_is_not_the_library(run, tmp_path):
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("float_ = float\n")
    (tmp_path / "train.py").write_text(OLD)
    answer = json.loads(run("versions", ".", "--json").stdout)
    assert answer["packages"] == []
    assert "own copy" in answer["notes"][0]


@pytest.mark.parametrize(
    ("code", "text"),
    [("import numpy\nprint 'x'\n", "Python 2"), ("import numpy\nx = (\n", "line 2")],
)
def test_code_that_does_not_parse(run, tmp_path, code, text):
    (tmp_path / "train.py").write_text(code)
    result = run("versions", "train.py")
    assert result.returncode == 2 and text in result.stderr and "Traceback" not in result.stderr


def test_paths_that_are_not_there(run):
    for arguments in (["missing.py"], ["--python", "missing", "."]):
        result = run("versions", *arguments)
        assert result.returncode == 2 and "there is no such file" in result.stderr


def test_no_code(run):
    assert run("versions").returncode == 2


def test_a_name_that_no_release_has_sets_no_range(run, tmp_path):
    (tmp_path / "train.py").write_text(NEW + "np.linalg.norm(1, nonsense=2)\n")
    assert json.loads(run("versions", "train.py", "--json").stdout)["packages"][0]["needs"] == ">=1.17"


def test_a_name_that_was_gone_for_some_releases(run, tmp_path):
    (tmp_path / "train.py").write_text("import numpy as np\nx = np.bool(1)\n")
    assert "numpy.bool is there in !=1.24.*" in " ".join(run("versions", "train.py").stdout.split())


def test_a_release_older_than_numpy_2_gets_numpy_1(run, tmp_path):
    (tmp_path / "train.py").write_text("import librosa, numpy\nlibrosa.filters.mel(22050, 512)\n")
    assert json.loads(run("versions", "train.py", "--json").stdout)["requirements"] == [
        "librosa==0.9.2",
        "numpy==1.26.4",
    ]


def test_members_of_a_missing_class_are_not_listed(run, tmp_path):
    code = "import torch\noptimizer = torch.optim.AdamW([])\noptimizer.step()\n"
    (tmp_path / "train.py").write_text(code)
    because = json.loads(run("versions", "train.py", "--json").stdout)["packages"][0]["because"]
    assert [reason["name"] for reason in because] == ["torch.optim.AdamW"]


def test_a_class_that_is_not_there_yet_says_nothing_of_what_it_inherits(run, tmp_path):
    # transformers 4.0 to 4.56 have this class, whose train() is of torch; from 4.57 on it has its own.
    code = "from transformers.models.bert.modeling_bert import BertPreTrainedModel\n"
    code += "class Mine(BertPreTrainedModel):\n    def f(self):\n        self.train()\n"
    (tmp_path / "train.py").write_text(code)
    packages = json.loads(run("versions", "train.py", "--json").stdout)["packages"]
    assert [(p["name"], p["needs"]) for p in packages] == [("transformers", ">=4.0")]


def test_nothing_of_the_code_runs(run, tmp_path):
    (tmp_path / "train.py").write_text(f"import numpy\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    assert run("versions", "train.py").returncode == 0
    assert not (tmp_path / "ran").exists()


TRANSFORM = "from torchvision.transforms import v2\nclass Mine(v2.Transform):\n    def {name}(self, inpt, params): ...\n"


@pytest.mark.parametrize(
    ("code", "needs"),
    [
        (TRANSFORM.format(name="_transform"), ">=0.15,<0.21"),
        (TRANSFORM.format(name="transform"), ">=0.15"),
        (TRANSFORM.format(name="_transform") + "    transform = _transform\n", ">=0.15"),
        (TRANSFORM.format(name="_transform") + "    def forward(self, x):\n        self._transform(x, {})\n", ">=0.15"),
        (TRANSFORM.format(name="_my_own"), ">=0.15"),
    ],
)  # fmt: skip
def test_a_hook_that_was_made_public(run, tmp_path, code, needs):
    (tmp_path / "train.py").write_text(code)
    assert json.loads(run("versions", "train.py", "--json").stdout)["packages"][0]["needs"] == needs


@pytest.mark.parametrize(
    ("code", "notes"),
    [
        ("import gymnasium as gym\nfrom gym.spaces import Discrete\n", 1),
        ("try:\n    import gymnasium as gym\nexcept ImportError:\n    import gym\ngym.make('x')\n", 0),
    ],
)
def test_gym_is_not_chosen_beside_gymnasium(run, tmp_path, code, notes):
    (tmp_path / "train.py").write_text(code)
    answer = json.loads(run("versions", "train.py", "--json").stdout)
    assert [line.partition("==")[0] for line in answer["requirements"]] == ["gymnasium"]
    assert len(answer["notes"]) == notes
