"""The phrases that several outputs share."""

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.output.wording import (
    describe_environment,
    format_environment_heading,
    format_repro_command,
    list_affected_versions,
    shorten_versions,
)

MACHINE = {
    "torch": "2.4.1+cu121",
    "torchvision": "0.19.1",
    "python": "3.11.7",
    "os": "linux",
    "device": "cuda (A100)",
    "executable": "/usr/bin/python",
}


@pytest.mark.parametrize(
    ("changed", "line", "brief", "heading"),
    [
        (
            {},
            "torch 2.4.1+cu121, torchvision 0.19.1, Python 3.11.7, linux, cuda (A100)",
            "torch 2.4.1, Python 3.11.7, linux, cuda (A100)",
            "2.4.1 py3.11 cuda (A100)",
        ),
        (
            {"device": "cpu", "torchvision": None},
            "torch 2.4.1+cu121, Python 3.11.7, linux, cpu",
            "torch 2.4.1, Python 3.11.7, linux",
            "2.4.1 py3.11",
        ),
        (
            {"os": "li\x1bnux", "device": "cpu"},
            "torch 2.4.1+cu121, torchvision 0.19.1, Python 3.11.7, li\\x1bnux, cpu",
            "torch 2.4.1, Python 3.11.7, li\\x1bnux",
            "2.4.1 py3.11",
        ),
    ],
)
def test_an_environment_as_a_line_and_as_a_heading(changed, line, brief, heading):
    machine = {**MACHINE, **changed}
    assert (describe_environment(machine), describe_environment(machine, brief=True)) == (line, brief)
    assert format_environment_heading(machine) == heading


def test_an_entry_has_its_versions_and_commands(tmp_path):
    (entry,) = load([write_catalogue(tmp_path / "catalogue")])
    assert list_affected_versions(entry) == "affects torch >=1.8"
    commands = [format_repro_command(script) for script in entry.scripts]
    assert commands == ["dpkb repro ZZ1", "dpkb repro ZZ1 --fixed"]


def test_a_list_of_versions_is_shortened():
    assert shorten_versions("seen on torch 1.8.1, 1.9.1, 2.0.1, 2.4.1; last run", "…") == (
        "seen on torch 1.8.1 … 2.4.1; last run"
    )
    assert shorten_versions("torch 1.8.1, 1.9.1, 2.0.1", "to") == "torch 1.8.1, 1.9.1, 2.0.1"
