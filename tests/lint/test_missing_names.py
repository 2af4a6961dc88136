"""`dpkb lint --python`: names that an environment lacks."""

import json
from functools import partial

from support.environments import make_environment

OLD = "import numpy as np\n\nx = np.float_(3)\n"


def test_lint_reports_what_an_environment_lacks(dpkb_in_process, tmp_path):
    run = partial(dpkb_in_process, cwd=tmp_path)
    code = OLD + "y = np.float_(4)\nz = np.float_(5)  # dpkb: ignore[E2]\n"
    (tmp_path / "train.py").write_text(code)
    python = make_environment(tmp_path / "env", numpy="2.1.0")
    result = run("lint", "train.py", "--json", "--python", str(python))
    findings = json.loads(result.stdout)["findings"]
    assert [(f["id"], f["where"]["line"]) for f in findings] == [("E2", 3), ("E2", 4)]
    assert "numpy 2.1.0 has no `numpy.float_`" in findings[0]["message"]
    older = make_environment(tmp_path / "older", numpy="1.26.4")
    assert json.loads(run("lint", "train.py", "--json", "--python", str(older)).stdout)["findings"] == []
    assert run("lint", "train.py", "--python", str(python), "--ignore", "E2").returncode == 0


def test_without_an_environment_only_what_no_recent_release_has_is_reported(dpkb_in_process, tmp_path):
    code = """import torch
import numpy as np
from transformers import AdamW
import pytorch_lightning as pl

np.float_(3)
np.float_(4)  # dpkb: ignore[E2]
torch.svd_of_nothing(3)
torch.symeig(3)
from torch.autograd.gradcheck import zero_gradients


class Model(pl.LightningModule):
    def training_epoch_end(self, outputs): ...
"""
    (tmp_path / "train.py").write_text(code)
    run = partial(dpkb_in_process, cwd=tmp_path)
    result = run("lint", "train.py", "--json")
    findings = [f for f in json.loads(result.stdout)["findings"] if "two years" in f["message"]]
    # transformers 4.49 of 2025 still has AdamW, and no release has ever had svd_of_nothing.
    assert [(f["id"], f["where"]["line"], f["certainty"]) for f in findings] == [
        ("E2", 6, "likely"), ("E1", 10, "likely"), ("E2", 14, "likely"),
    ]  # fmt: skip
    assert findings[0]["message"].endswith(" has `numpy.float_`")
    assert "np.float64" in findings[0]["fix"] and "pytorch_lightning<2.0" in findings[2]["fix"]
    # With an environment, its releases count.
    python = make_environment(tmp_path / "env", numpy="1.26.4", torch="2.6.0")
    found = json.loads(run("lint", "train.py", "--json", "--python", str(python)).stdout)["findings"]
    assert [(f["id"], f["where"]["line"]) for f in found] == [("E1", 9), ("E1", 10)]


def test_a_tree_of_the_library_itself_is_not_compared_with_its_releases(dpkb_in_process, tmp_path):
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("float_ = float\n")
    (tmp_path / "train.py").write_text("import torch\n" + OLD)
    assert dpkb_in_process("lint", "train.py", cwd=tmp_path).returncode == 0
