"""Temporary folders are removed, also those of a dpkb that was killed."""

import os
import subprocess
import sys

import pytest

from dpkb.runner import scratch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folders are locked on POSIX only")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "ABANDONED_SECONDS", -1)
    return tmp_path


KILLED = """
import os, sys
from dpkb.runner.scratch import scratch_folder
with scratch_folder(sys.argv[1]) as folder:
    (folder / "file").touch()
    os.kill(os.getpid(), 9)
"""


def test_the_folder_of_a_killed_dpkb_is_removed(temporary):
    subprocess.run([sys.executable, "-c", KILLED, str(temporary)], check=False)
    (left,) = temporary.iterdir()
    assert (left / "file").exists()
    scratch.remove_abandoned()
    assert list(temporary.iterdir()) == []


def test_folders_that_are_in_use_or_belong_to_others_stay(temporary):
    (temporary / "dpkb-checkout").mkdir()
    (temporary / "dpkb-scratch-link").symlink_to(temporary / "dpkb-checkout")
    (temporary / "dpkb-scratch-file").touch()
    before = set(temporary.iterdir())
    with scratch.scratch_folder() as folder:
        scratch.remove_abandoned()
        assert set(temporary.iterdir()) == before | {folder}
    assert set(temporary.iterdir()) == before


def test_a_young_folder_stays(temporary, monkeypatch):
    monkeypatch.setattr(scratch, "ABANDONED_SECONDS", 60)
    (temporary / "dpkb-scratch-x").mkdir()
    scratch.remove_abandoned()
    assert (temporary / "dpkb-scratch-x").exists()
