"""The environments of --torch, as text and as JSON."""

from pathlib import Path

from dpkb.output.envs import environments_fields, render_environments, render_removal
from dpkb.run_records import TorchEnvironment

ENVIRONMENTS = (
    TorchEnvironment("1.13.1", Path("/cache/torch-1.13.1"), 5 << 30),
    TorchEnvironment("2.4", Path("/cache/torch-2.4"), (1 << 30) * 11 // 10),
)


def test_each_environment_has_its_size_and_folder():
    assert render_environments(ENVIRONMENTS).splitlines() == [
        "torch 1.13.1     5.0 GiB  /cache/torch-1.13.1",
        "torch 2.4        1.1 GiB  /cache/torch-2.4",
    ]
    assert environments_fields(ENVIRONMENTS)["environments"][1] == {
        "torch": "2.4",
        "folder": "/cache/torch-2.4",
        "bytes": (1 << 30) * 11 // 10,
    }


def test_a_removal_says_what_it_freed():
    assert render_removal("2.4", 5 << 30).startswith(
        "removed the environment for torch 2.4; 5.0 GiB are free again. uv keeps"
    )
