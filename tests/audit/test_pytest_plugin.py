"""`pytest --dpkb-audit`: a test whose training shows a failure fails."""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow


TESTS = """
    import torch
    from torch import nn

    def train(clear_first):
        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(4):
            loss = nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(3, (8,)))
            if clear_first:
                optimizer.zero_grad()
            loss.backward()
            if not clear_first:
                optimizer.zero_grad()
            optimizer.step()

    def test_right():
        train(clear_first=True)

    def test_wrong():
        train(clear_first=False)

    def test_own():
        train(clear_first=False)
        assert 1 == 2, "mine"
"""


def test_every_pytest_imports_only_the_plugin():
    code = (
        "import sys, dpkb.audit.pytest_plugin; print(sorted(name for name in sys.modules if 'dpkb' in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['dpkb', 'dpkb.audit', 'dpkb.audit.pytest_plugin', 'dpkb.audit.watch']\n"


def test_the_pytest_plugin(tmp_path):
    (tmp_path / "test_training.py").write_text(textwrap.dedent(TESTS))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_training.py"]
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    watched = subprocess.run(
        [*command, "--dpkb-audit"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "1 failed, 2 passed" in plain.stdout and "dpkb audit" not in plain.stdout
    assert "2 failed, 1 passed" in watched.stdout
    wrong, own = watched.stdout.split("___ test_own ___")
    assert "dpkb audit: O1 certain" in wrong
    # A test that fails by itself keeps its own error.
    assert "AssertionError: mine" in own and "dpkb audit:" not in own.partition("short test summary")[0]
