"""The messages of wrong calls: their patterns, their files, and what the torch of these tests says now."""

import json
import subprocess
import sys

import pytest
from support import MESSAGES, ROOT, write_catalogue

from dpkb.catalogue.load import load, read_unanswered
from dpkb.model import RecordedMessage
from dpkb.paths import find_built_in_catalogue
from dpkb.patterns import matching
from tools import record_messages
from tools.record_messages import Answers, find_new, generalise, read_censuses, renew


@pytest.mark.parametrize(
    ("message", "same", "other"),
    [
        (
            "RuntimeError: Given groups=1, weight of size [4, 3, 3, 3], expected (2, 3)",
            "Given groups=2, weight of size [8, 1, 1, 1], expected (20, 3, 4)",
            "Given groups=2, bias of size [8, 1, 1, 1], expected (20, 3, 4)",
        ),
        (
            "TypeError: conv2d() received an invalid combination of arguments - got (list, Tensor), but expected one of:",
            "TypeError: nll_loss() received an invalid combination of arguments - got (int), but expected one of:",
            "TypeError: nll_loss() received a combination of arguments - got (int), but expected one of:",
        ),
        ("KeyError: 'a'", "KeyError: 'a'", "LookupError: 'a'"),
        ("AssertionError: ", "AssertionError", "AssertionError: no"),
        ("ValueError: Invalid learning rate: nan", "Invalid learning rate: -1.0", "Invalid rate: nan"),
    ],
)
def test_a_pattern_matches_the_same_message_with_other_values(message, same, other):
    pattern = generalise(message)
    assert matching.has_match(pattern, message.strip()) and matching.has_match(pattern, same)
    assert not matching.has_match(pattern, other)


def write_census(path, version, *messages, only=""):
    rows = {text: {"message": text, "calls": ["layer(4)"], "count": 1} for text in messages}
    path.write_text(json.dumps({"versions": {"torch": version}, "only": only, "messages": rows}))
    return path


def test_a_row_has_the_versions_that_say_it_and_goes_with_the_last(tmp_path):
    row = RecordedMessage("width \\d+", "RuntimeError: width 3", "layer(4)", ("2.4.1", "2.15.0"))
    says = write_census(tmp_path / "a.json", "1.8.1", "RuntimeError: a layer of width 7")
    silent = write_census(tmp_path / "b.json", "2.15.0", "RuntimeError: something else")
    part = write_census(tmp_path / "c.json", "2.4.1", only="nn.Linear")
    (renewed,) = renew([row], *read_censuses([says, silent, part]))
    assert renewed.seen == ("1.8.1", "2.4.1")
    assert renew([row], *read_censuses([write_census(part, "2.4.1"), silent])) == []


def test_new_messages_are_led_to_an_entry_or_get_a_reason(tmp_path, monkeypatch, capsys):
    folder = write_catalogue(tmp_path / "kb_of_test")
    (folder / "kb/zz1_made.messages.yaml").write_text(MESSAGES)
    monkeypatch.setattr(record_messages, "find_built_in_catalogue", lambda: folder)
    texts = ("RuntimeError: layer of width 3 got 4", "RuntimeError: it is far too wide", "StopIteration: ")
    census = str(write_census(tmp_path / "a.json", "2.15.0", *texts))
    record_messages.main([census, "--to", "ZZ1", "--like", "too wide"])
    record_messages.main([census, "--reason", "plain Python", "--like", "Stop"])
    entry = load([folder]).find_entry("ZZ1")
    assert [(row.message, row.seen) for row in entry.messages] == [
        ("RuntimeError: it is far too wide", ("2.15.0",)),
        ("RuntimeError: layer of width 3 got 4", ("1.8.1", "2.15.0")),
    ]
    assert [row.reason for row in read_unanswered(folder)[0]] == ["plain Python"]
    with pytest.raises(SystemExit) as end:
        record_messages.main([census])
    assert end.value.code == 0 and "0 of 3 messages are new" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("only", ["F.cross_entropy"])
def test_this_torch_says_what_is_recorded(tmp_path, only):
    """A difference is a new wording: `python -m tools.record_messages OUT.json` lists it."""
    out = tmp_path / "census.json"
    command = [sys.executable, str(ROOT / "tools/message_census.py"), str(out), only]
    subprocess.run(command, check=True, capture_output=True)
    found, versions = read_censuses([out])
    catalogue = load([find_built_in_catalogue()])
    unanswered = read_unanswered(find_built_in_catalogue())[0]
    assert len(found) > 10 and versions == set()
    assert [row.message for row in find_new(found, Answers(catalogue), unanswered)] == []
