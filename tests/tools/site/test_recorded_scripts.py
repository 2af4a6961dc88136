"""The scripts of a catalogue, and the recorded runs of their present code."""

from dataclasses import replace

import pytest
from support import write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import store
from tools.site.recorded_scripts import RecordedScripts


@pytest.fixture
def folder(tmp_path):
    return write_catalogue(tmp_path / "catalogue")


def ran(folder, torch, date="2026-01-02", script="broken", **more):
    store.record([result(script, **more)], replace(HERE, torch=torch), load([folder]), folder, date)


def scripts_of(folder):
    catalogue = load([folder])
    return catalogue.find_entry("ZZ1"), RecordedScripts(catalogue, store.load(folder))


def test_the_run_on_the_newest_torch_counts(folder):
    ran(folder, "2.10.0", observed={"healthy": False, "n": 10})
    ran(folder, "2.9.0", "2026-05-05", observed={"healthy": False, "n": 9})
    entry, recorded = scripts_of(folder)
    run = recorded.find_newest_run(entry.find_script("broken"))
    assert run.observed["n"] == 10 and run.environment == "torch 2.10.0, Python 3.11.7, linux"
    assert recorded.find_newest_run(entry.find_script("fixed")) is None


def test_a_run_is_shown_with_the_build_of_torch_that_it_was_recorded_on(folder):
    ran(folder, "2.4.1+cu121")
    ran(folder, "2.4.1+cu124", script="fixed")
    entry, recorded = scripts_of(folder)
    builds = [
        recorded.find_newest_run(entry.find_script(name)).evidence.torch for name in ("broken", "fixed")
    ]
    assert builds == ["2.4.1+cu121", "2.4.1+cu124"]


def test_a_run_within_the_claim_comes_before_a_newer_one_outside(folder):
    ran(folder, "2.4.1")
    ran(folder, "2.10.0", affected=False)
    entry, recorded = scripts_of(folder)
    assert recorded.find_newest_run(entry.find_script("broken")).evidence.torch == "2.4.1"


def test_a_run_of_other_code_does_not_count(folder):
    ran(folder, "2.4.1")
    path = folder / "reproducers/zz1_made/broken.py"
    path.write_text(path.read_text().replace("value = 1", "value = 3"))
    entry, recorded = scripts_of(folder)
    assert recorded.find_newest_run(entry.find_script("broken")) is None


def test_the_lists_that_can_be_drawn(folder):
    ran(folder, "2.4.1", observed={"healthy": False, "steps_by_rank": [1, 2], "names": [1], "n": 3})
    entry, recorded = scripts_of(folder)
    assert recorded.find_newest_run(entry.find_script("broken")).drawable_keys == {"steps_by_rank"}
    ran(folder, "2.4.1", observed=None)
    entry, recorded = scripts_of(folder)
    assert recorded.find_newest_run(entry.find_script("broken")).observed == {}


def test_a_script_that_cannot_be_read_or_needs_a_gpu(folder):
    scripts = folder / "reproducers/zz1_made"
    (scripts / "broken.py").write_text((scripts / "broken.py").read_text().replace("; cpu;", "; cuda;"))
    (scripts / "fixed.py").write_bytes(b"\xff")
    entry, recorded = scripts_of(folder)
    broken, fixed = entry.scripts
    assert recorded.find_reproducer(broken).needs.devices == ("cuda",) and recorded.needs_gpu(broken)
    assert recorded.find_reproducer(fixed) is None and not recorded.needs_gpu(fixed)
    assert not recorded.needs_gpu(None)
