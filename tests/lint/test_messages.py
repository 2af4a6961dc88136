"""What findings say, where it depends on the code."""

import pytest
from support.lint_file import file_of

from dpkb.lint.run import Selection, lint_file


def only_finding(code, head="import torch\nfrom torch.utils.data import DataLoader\n"):
    """The only finding in this code."""
    [finding] = lint_file(file_of(code, head), Selection())[0]
    return finding


@pytest.mark.parametrize(("factor", "message"), [
    (4, "prefetch_factor without workers raises ValueError"),
    (2, "prefetch_factor without workers raises ValueError from torch 2.0 on")])
def test_prefetch_factor_needs_workers(factor, message):
    assert only_finding(f"loader = DataLoader(data, prefetch_factor={factor})").message == message
