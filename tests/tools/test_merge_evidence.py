"""Evidence of several machines is merged: the newest run of each script is kept."""

import json
from dataclasses import replace

import pytest
from support import write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import store
from dpkb.run_records import Verdict
from tools.merge_evidence import main

# What an evidence file must not have: fields of an environment, no field, or a text that is no JSON.
HOSTILE = [
    {"torch": "../../x"},
    {"os": "../../../x"},
    {"device": "/tmp/x"},
    {"python": None},
    {"torch": "none"},
    {"os": 3},
    {"device": "..\\x"},
    {"device": "cuda (<img src=x>)"},
    {"torchvision": "1\n2"},
    None,
    "[" * 100_000,
    "\udcff",
]


@pytest.fixture
def entries(tmp_path):
    return list(load([write_catalogue(tmp_path)]))


def record(entries, folder, *results, torch=HERE.torch, date="2026-01-02"):
    return store.record(results, replace(HERE, torch=torch), entries, folder, date)


def merge(folder, *names):
    main(["--kb", str(folder), *(str(folder / name) for name in names)])


def test_the_evidence_of_shards_is_merged(entries, tmp_path):
    for n, script in enumerate(("broken", "fixed")):
        record(entries, tmp_path / f"shard{n}", result(script))
    (tmp_path / "evidence").mkdir()
    merge(tmp_path, "shard0", "shard1")
    (loaded,) = store.load(tmp_path)
    assert loaded.state_of(entries[0]) is store.State.CONFIRMED


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_of_several_runs_of_a_script_the_newest_is_kept(entries, tmp_path, order):
    """The newest may be in a shard or in the catalogue, and the shards may be named in any order."""
    rows = [
        (result("broken"), "2026-01-02"),
        (result("broken", Verdict.REFUTED), "2026-03-04"),
        (result("broken"), "2026-02-03"),
    ]
    folders = [tmp_path if n == 0 else tmp_path / f"shard{n}" for n in order]
    for folder, (row, date) in zip(folders, rows, strict=True):
        record(entries, folder, row, date=date)
    record(entries, tmp_path / "shard3", result("fixed"), date="2026-01-01")
    merge(tmp_path, "shard1", "shard2", "shard3")
    (loaded,) = store.load(tmp_path)
    assert {key: (seen.date, seen.verdict.value) for key, seen in loaded.scripts.items()} == {
        "ZZ1/broken": ("2026-03-04", "refuted"),
        "ZZ1/fixed": ("2026-01-01", "confirmed"),
    }


def test_another_build_of_torch_keeps_its_own_file(entries, tmp_path):
    for build in ("2.4.1+cu121", "2.4.1+cu124"):
        record(entries, tmp_path, result("broken"), torch=build)
    copy = tmp_path / "copy"
    (copy / store.EVIDENCE_FOLDER).mkdir(parents=True)
    main(["--kb", str(copy), str(tmp_path / store.EVIDENCE_FOLDER)])
    assert store.load(copy) == store.load(tmp_path) and len(store.load(copy)) == 2


def test_of_the_runs_of_one_day_those_of_the_shard_are_kept(entries, tmp_path):
    record(entries, tmp_path, result("broken", Verdict.REFUTED))
    record(entries, tmp_path / "shard", result("broken"))
    merge(tmp_path, "shard")
    (loaded,) = store.load(tmp_path)
    assert loaded.scripts["ZZ1/broken"].verdict is Verdict.CONFIRMED


def test_a_merge_writes_only_the_files_of_the_shards(entries, tmp_path, capsys):
    record(entries, tmp_path, result("broken"), torch="2.0.1")
    record(entries, tmp_path / "shard", result("broken"))
    merge(tmp_path, "shard")
    assert [line.rsplit("/", 1)[1] for line in capsys.readouterr().out.splitlines()] == [
        path.name for path in (tmp_path / "shard/evidence").glob("*.json")
    ]


@pytest.mark.parametrize("name", ["empty", "missing", "log"])
def test_a_folder_without_evidence_is_named(tmp_path, capsys, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "log").touch()
    with pytest.raises(SystemExit):
        merge(write_catalogue(tmp_path), name)
    assert f"no evidence in {tmp_path / name}: record it" in capsys.readouterr().err


def test_a_catalogue_that_cannot_be_written_is_named(entries, tmp_path, capsys):
    record(entries, tmp_path / "shard", result("broken"))
    (tmp_path / "evidence").touch()
    with pytest.raises(SystemExit):
        merge(tmp_path, "shard")
    assert "the evidence cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("fields", HOSTILE)
def test_hostile_evidence_is_refused_and_nothing_is_written(tmp_path, capsys, fields):
    evidence = write_catalogue(tmp_path / "catalogue").parent / "part" / "x.json"
    evidence.parent.mkdir()
    if not isinstance(fields, str):
        environment = {
            "torch": "2.15.0",
            "torchvision": None,
            "python": "3.11.7",
            "os": "linux",
            "device": "cpu",
        }
        environment = {**environment, **fields} if fields else {}
        fields = json.dumps({"version": 1, "environment": environment, "scripts": {}})
    evidence.write_text(fields, errors="surrogateescape")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SystemExit):
        main([str(evidence.parent), "--kb", str(tmp_path / "catalogue")])
    assert str(evidence) in capsys.readouterr().err.splitlines()[-1]
    assert sorted(tmp_path.rglob("*")) == before
