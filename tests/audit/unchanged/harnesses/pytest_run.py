# needs: pytest
# run: python -m pytest -qq -c /dev/null --rootdir . --noconftest -p no:cacheprovider --tb=short --color=no FILE
# ends: 1
# Tests of a training, one of which fails, with a monkeypatch and captured output.
import pytest
import torch
import torch.nn.functional as F


def test_patch_is_undone(monkeypatch):
    real = F.mse_loss
    monkeypatch.setattr(F, "mse_loss", lambda *args: torch.zeros(()))
    torch.jit.script(torch.nn.ReLU())
    assert F.mse_loss(torch.ones(1), torch.zeros(1)).item() == 0
    monkeypatch.undo()
    assert F.mse_loss is real


def test_fails_in_a_loss():
    F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))


def test_raises():
    with pytest.raises(TypeError, match=r"^save\(\) missing 1 required positional argument"):
        torch.save(1)
