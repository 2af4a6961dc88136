# pytest.main runs a generated test file with fixtures, capsys, monkeypatch, tmp_path and failing tests.
# needs: pytest
import contextlib
import io
import re

import pytest
import torch

torch.set_num_threads(1)
TEST = '''
import sys, warnings
import pytest, torch
from torch import nn

@pytest.fixture
def net():
    torch.manual_seed(0)
    yield nn.Linear(1, 1)
    print("teardown")

def fit(net, opt):
    for x in torch.utils.data.DataLoader(torch.ones(2, 1)):
        opt.zero_grad(); net(x).sum().backward(); opt.step()

def test_quiet(net, capfd):
    fit(net, torch.optim.SGD(net.parameters(), lr=0.1))
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")

def test_no_warnings(net, recwarn):
    fit(net, torch.optim.Adam(net.parameters()))
    assert [str(w.message) for w in recwarn] == []

def test_monkeypatch(net, monkeypatch):
    calls = []
    monkeypatch.setattr(torch.optim.SGD, "step", lambda self: calls.append(1))
    monkeypatch.setattr(torch.Tensor, "backward", lambda self: calls.append(2))
    fit(net, torch.optim.SGD(net.parameters(), lr=0.1))
    assert calls == [2, 1, 2, 1]

def test_restored(net):
    fit(net, torch.optim.SGD(net.parameters(), lr=0.1))
    assert net.weight.grad is not None

def test_no_files(net, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit(net, torch.optim.SGD(net.parameters(), lr=0.1))
    assert list(tmp_path.iterdir()) == []

@pytest.mark.parametrize("n", [1, 2])
def test_fails(net, n):
    assert net(torch.ones(n, 1)).shape == (n, 2)

def test_error(net):
    net(torch.ones(1, 5))
'''
with open("test_it.py", "w") as f:
    f.write(TEST)


class Plugin:
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.failed:
            lines.append(f"{report.nodeid} {report.when} {report.outcome}")
            if report.failed:
                lines.extend(s for s in report.longreprtext.splitlines() if s[:1] == "E")


lines = []
with contextlib.redirect_stdout(io.StringIO()):
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--tb=long", "test_it.py"], plugins=[Plugin()])
print(int(code), *[re.sub(r"0x[0-9a-f]+", "0x", s) for s in lines], sep="\n")
