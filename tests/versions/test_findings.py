"""`dpkb lint --python`: names that an environment lacks."""

import json
from functools import partial

from support.environments import make_environment

OLD = "import numpy as np\n\nx = np.float_(3)\n"


def test_lint_reports_what_an_environment_lacks(dpkb_in_process, tmp_path):
    run = partial(dpkb_in_process, cwd=tmp_path)
    code = OLD + "y = np.float_(4)\nz = np.float_(5)  # dpkb: ignore[E1]\n"
    (tmp_path / "train.py").write_text(code)
    python = make_environment(tmp_path / "env", numpy="2.1.0")
    result = run("lint", "train.py", "--json", "--python", str(python))
    findings = json.loads(result.stdout)["findings"]
    assert [(f["id"], f["where"]["line"]) for f in findings] == [("E1", 3), ("E1", 4)]
    assert "numpy 2.1.0 has no `numpy.float_`" in findings[0]["message"]
    older = make_environment(tmp_path / "older", numpy="1.26.4")
    assert json.loads(run("lint", "train.py", "--json", "--python", str(older)).stdout)["findings"] == []
    assert run("lint", "train.py", "--python", str(python), "--ignore", "E1").returncode == 0
