"""`dpkb doctor`: limits of a machine against what a training program needs."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support import ROOT

from dpkb.audit.doctor import Plan, advise, read_plan
from dpkb.audit.guest_half import all_checks
from dpkb.audit.machine import Machine
from dpkb.errors import UsageError

MB = 1 << 20
ROOMY = Machine("linux", 16384 * MB, 16000 * MB, 65536, 64000 * MB, None, 16, 16.0, "3.11.7")


def likely(machine, plan):
    return {line.id for line in advise(machine, plan) if line.likely}


@pytest.mark.parametrize(
    ("machine", "plan", "ids"),
    [
        (ROOMY, Plan(), set()),
        (ROOMY, Plan(workers=8, batch_bytes=40 * MB, worker_bytes=1000 * MB, tensors=2), set()),
        (replace(ROOMY, shm_bytes=64 * MB, shm_free_bytes=64 * MB), Plan(), {"DP15"}),
        (replace(ROOMY, shm_free_bytes=10 * MB), Plan(), {"DP15"}),
        (replace(ROOMY, shm_free_bytes=1000 * MB), Plan(workers=8, batch_bytes=56 * MB), {"DP15"}),
        (replace(ROOMY, shm_free_bytes=1000 * MB), Plan(workers=8, batch_bytes=55 * MB), set()),
        (replace(ROOMY, open_files=1024), Plan(workers=8, tensors=64), {"DP20"}),
        (replace(ROOMY, open_files=256), Plan(), {"DP20"}),
        (replace(ROOMY, shm_bytes=64 * MB, shm_free_bytes=MB, open_files=256), Plan(workers=0), set()),
        (replace(ROOMY, memory_limit=8000 * MB), Plan(workers=8, worker_bytes=900 * MB), {"U9"}),
        (ROOMY, Plan(workers=8, worker_bytes=900 * MB), set()),
        (replace(ROOMY, usable_cores=4.0), Plan(workers=8), set()),
    ],
)
def test_each_machine_and_plan_has_its_likely_failures(machine, plan, ids):
    assert likely(machine, plan) == ids


def test_a_program_without_workers_gets_no_advice_about_workers():
    ids = [[line.id for line in advise(ROOMY, plan)] for plan in (Plan(workers=0), Plan(workers=1))]
    assert "DP30" not in ids[0] and "DP30" in ids[1]


def test_the_page_the_check_and_doctor_count_the_same_batches(monkeypatch):
    all_checks()
    from dpkb_audit.checks import dp15_shm_full as dp15

    [page] = (ROOT / "kb").glob("dp15_*.md")
    assert "(num_workers * prefetch_factor + 2) * bytes of one batch" in page.read_text()

    plan = Plan(workers=8, batch_bytes=MB)
    [of_doctor] = [line.message for line in advise(ROOMY, plan) if line.id == "DP15"]
    assert "18 batches of 8 workers need 18 MB" in of_doctor

    rows = []
    audit = SimpleNamespace(
        training=SimpleNamespace(step=1),
        process_fields=dict,
        reader=SimpleNamespace(origin=None),
        journal=SimpleNamespace(write=lambda kind, **fields: rows.append(fields)),
    )
    loader = SimpleNamespace(num_workers=8, prefetch_factor=2)
    record = SimpleNamespace(loader=loader, batches=1, length=None, where=("train.py", 3))
    tensor = SimpleNamespace(is_shared=lambda: True, numel=lambda: MB, element_size=lambda: 1)
    monkeypatch.setattr(dp15, "is_tensor", lambda value: value is tensor)
    monkeypatch.setattr(dp15.os.path, "isdir", lambda path: True)
    monkeypatch.setattr(dp15.os, "statvfs", lambda path: SimpleNamespace(f_frsize=MB, f_blocks=1))
    dp15.DP15(audit).on_batch(record, [tensor], 0.0)
    assert rows[0]["message"].startswith("18 batches of 1 MB may be in flight")


@pytest.mark.parametrize(
    ("size", "free", "message"),
    [
        (
            64,
            60,
            "/dev/shm has 64 MB (Docker's default), of which 60 MB are free: too little for most loaders",
        ),
        (8192, 10, "/dev/shm has 8192 MB, of which 10 MB are free: too little for most loaders"),
    ],
)
def test_a_full_shared_memory_is_not_called_the_default_of_docker(size, free, message):
    machine = replace(ROOMY, shm_bytes=size * MB, shm_free_bytes=free * MB)
    assert [line.message for line in advise(machine, Plan()) if line.id == "DP15"] == [message]


def test_the_start_method():
    ids = [
        [line.id for line in advise(machine, Plan())][-1]
        for machine in (
            ROOMY,
            replace(ROOMY, python="3.14.0"),
            replace(ROOMY, system="darwin", shm_bytes=None),
        )
    ]
    assert ids == ["DP30", "DP6", "DP6"]


def test_what_the_program_decides_is_neither_likely_nor_ok():
    few, many = replace(ROOMY, usable_cores=4.0), Plan(workers=8)
    assert {line.id: line.likely for line in advise(few, many)} == {
        "DP15": None,
        "DP20": None,
        "U9": None,
        "T8": None,
        "DP30": None,
    }


@pytest.mark.parametrize(
    ("plan", "advice"),
    [
        (Plan(), "; give --workers and --batch-mb to learn whether that is enough"),
        (Plan(workers=8), "; give --batch-mb to learn whether that is enough"),
        (Plan(batch_bytes=MB), "; give --workers to learn whether that is enough"),
        (Plan(workers=0), ""),
    ],
)
def test_only_missing_numbers_are_asked_for(plan, advice):
    assert advise(ROOMY, plan)[0].message == f"/dev/shm has 16384 MB, of which 16000 MB are free{advice}"


def test_one_worker_is_not_called_workers():
    plan = Plan(workers=1, batch_bytes=MB, worker_bytes=MB, tensors=1, prefetch=1)
    text = "\n".join(line.message for line in advise(replace(ROOMY, usable_cores=0.5), plan))
    for words in (
        "3 batches of 1 worker need 3 MB",
        "1 worker x 1 batch of 1 tensor need about 101",
        "1 worker needs 1 MB",
        "1 worker must share them",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("plan", "missing"),
    [
        (
            Plan(),
            {
                "DP15": "--workers and --batch-mb",
                "DP20": "--workers and --tensors",
                "U9": "--workers and --worker-mb",
                "T8": "--workers",
            },
        ),
        (Plan(workers=8), {"DP15": "--batch-mb", "DP20": "--tensors", "U9": "--worker-mb"}),
        (Plan(workers=8, batch_bytes=MB, tensors=2, worker_bytes=MB), {}),
        (Plan(workers=0), {}),
    ],
)
def test_without_the_numbers_that_it_needs_a_line_is_a_note(plan, missing):
    lines = [line for line in advise(ROOMY, plan) if line.id != "DP30"]
    asked = {
        line.id: line.message.partition("; give ")[2].removesuffix(" to learn whether that is enough")
        for line in lines
        if "; give " in line.message
    }
    assert asked == missing
    # Without workers, DP15 stays a note.
    assert {line.id: line.likely for line in lines if line.id != "DP15" or plan.workers} == {
        line.id: None if line.id in missing else False for line in lines if line.id != "DP15" or plan.workers
    }


LOADER = {
    "file": "train.py",
    "line": 3,
    "rank": 0,
    "workers": 4,
    "prefetch": 2,
    "batch_bytes": 5 * MB,
    "batch_tensors": 2,
    "worker_bytes": 300 * MB,
}


def test_an_unlimited_number_of_open_files_is_no_limit():
    machine = replace(ROOMY, open_files=None)
    assert "DP20" not in {line.id for line in advise(machine, Plan())}


def test_numbers_of_an_audit(tmp_path):
    report = tmp_path / "audit.json"
    small = {**LOADER, "batch_bytes": MB, "workers": 8, "worker_bytes": None}
    loaders = [LOADER, small, {**LOADER, "rank": 1, "prefetch": 3}, {**LOADER, "rank": 2, "workers": 0}]
    report.write_text(json.dumps({"loaders": loaders}))
    assert read_plan(report) == Plan(8, 5 * MB, 300 * MB, 2, 3)

    report.write_text(json.dumps({"loaders": []}))
    assert read_plan(report) == Plan(workers=0)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"loaders": [{**LOADER, "worker_bytes": "a"}]},
        {"loaders": [{**LOADER, "prefetch": None}]},
        {"loaders": [{"workers": 2}]},
        {"loaders": [3]},
    ],
)
def test_a_report_with_other_fields_is_refused(tmp_path, document):
    report = tmp_path / "audit.json"
    report.write_text(json.dumps(document))
    with pytest.raises(UsageError, match="not a report"):
        read_plan(report)
