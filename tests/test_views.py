"""The view of an entry or a family, and the matrix of all entries and recorded versions."""

from dataclasses import replace

import pytest
from support import write_catalogue
from support.results import HERE, result

from dpkb import views
from dpkb.catalogue.load import load
from dpkb.errors import UnknownName
from dpkb.evidence import store
from dpkb.paths import find_built_in_catalogue


@pytest.fixture
def catalogue(tmp_path):
    """Three catalogues of one entry each. Two have runs of ZZ1, one of all entries, and one a bad file."""
    folders = [write_catalogue(tmp_path / entry_id, entry_id) for entry_id in ("ZZ1", "ZZ2", "ZZ3")]
    catalogue = load(folders)
    runs = [result(script) for script in ("broken", "fixed")]
    for folder, torch in zip(folders[:2], ("2.4.1", "2.0.1"), strict=True):
        store.record(runs, replace(HERE, torch=torch), [catalogue.find_entry("ZZ1")], folder, "2026-01-02")
    of_all = [replace(run, id=entry.id) for entry in catalogue for run in runs]
    store.record(of_all, replace(HERE, torch="2.8.0"), catalogue, folders[0], "2026-01-02")
    (folders[1] / store.EVIDENCE_FOLDER / "broken.json").write_text("{")
    return catalogue


def find_versions():
    return {"torch": "2.4.1"}


def test_an_entry_is_seen_by_the_runs_of_its_own_catalogue(catalogue):
    errors = []
    view = views.load_view(catalogue, "zz1", find_versions, errors.append)
    assert view.recorded_runs == "seen on torch 2.4.1, 2.8.0; last run 2026-01-02" and not errors
    assert view.entry is catalogue.find_entry("ZZ1") and list(view.titles) == ["ZZ1", "ZZ2", "ZZ3"]
    assert view.versions == {"torch": "2.4.1"}
    assert views.load_view(catalogue, "ZZ2", find_versions, errors.append).recorded_runs == ""
    assert "broken.json" in str(*errors)


def test_a_family_has_its_entries_and_no_others():
    view = views.load_view(load([find_built_in_catalogue()]), "n", find_versions, print)
    assert isinstance(view, views.FamilyView) and {entry.family for entry in view.entries} == {"N"}


def test_a_matrix_has_all_entries_or_some_on_broad_versions_or_all(catalogue):
    def shown(*ids, every=False):
        errors = []
        matrix = views.load_matrix(catalogue, ids, every, errors.append)
        assert len(errors) == 1
        return [entry for entry, _ in matrix.rows], [str(one["torch"]) for one in matrix.environments]

    assert shown() == (["ZZ1", "ZZ2", "ZZ3"], ["2.8.0"])
    assert shown("zz2", every=True) == (["ZZ2"], ["2.0.1", "2.4.1", "2.8.0"])
    with pytest.raises(UnknownName, match="ZZ9"):
        views.load_matrix(catalogue, ["ZZ9"], False, print)
