"""The census of messages: what torch says to wrong calls."""

import json
import subprocess
import sys

import pytest
from support import ROOT

from tools import message_census


@pytest.mark.parametrize(
    ("message", "normalised"),
    [
        (
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x8 and 7x4)",
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (#x# and #x#)",
        ),
        (
            "ValueError: Expected input batch_size (4) to match target batch_size (3).",
            "ValueError: Expected input batch_size [#] to match target batch_size [#].",
        ),
    ],
)
def test_messages_that_differ_in_numbers_are_one(message, normalised):
    assert message_census.normalise(message) == normalised


@pytest.mark.slow
def test_a_sound_call_is_made_wrong_in_many_ways(tmp_path):
    out = tmp_path / "census.json"
    command = [sys.executable, str(ROOT / "tools/message_census.py"), str(out), "F.one_hot"]
    subprocess.run(command, check=True, capture_output=True)
    census = json.loads(out.read_text())
    assert census["targets"] == 1 and census["calls"] > 15
    row = census["messages"]["RuntimeError: Class values must be smaller than num_classes."]
    assert "F.one_hot(torch.randint(3, (4,)) + 1000, num_classes=3)" in row["calls"]
