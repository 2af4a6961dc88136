"""Evidence files: how runs are recorded, read and merged, and how commands show them."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import psutil
import pytest
from support import ROOT, write_catalogue
from support.results import HERE, result
from support.waiting import wait_until

from dpkb.catalogue.load import load, read_reproducer
from dpkb.errors import DpkbError
from dpkb.evidence import report, store
from dpkb.run_records import Verdict

NEWEST = "2.15.0"


@pytest.fixture
def entries(tmp_path):
    return list(load([write_catalogue(tmp_path)]))


def record(entries, tmp_path, *results, torch=HERE.torch, date="2026-01-02"):
    return store.record(results, replace(HERE, torch=torch), entries, tmp_path, date)


def test_a_file_names_its_environment_and_no_path(entries, tmp_path):
    path = record(entries, tmp_path, result("broken"), result("fixed"))
    assert path.name == "2.4.1-3.11.7-linux-cpu.json"
    assert "/usr" not in path.read_text() and str(tmp_path) not in path.read_text()
    (loaded,) = store.load(tmp_path)
    assert loaded.state_of(entries[0]) is store.State.CONFIRMED


def test_another_build_of_torch_or_another_gpu_has_a_file_of_its_own(entries, tmp_path):
    environments = [
        replace(HERE, torch=torch, device=f"cuda (NVIDIA {gpu})")
        for torch, gpu in (("2.4.1+cu121", "A100"), ("2.4.1+cu121", "H100"), ("2.4.1+cu124", "A100"))
    ]
    for environment, script in zip(environments, ("broken", "fixed", "broken"), strict=True):
        store.record([result(script)], environment, entries, tmp_path, "2026-01-02")
    store.record([result("fixed")], environments[0], entries, tmp_path, "2026-01-02")
    found = {(e.torch, e.environment["device"]): list(e.scripts) for e in store.load(tmp_path)}
    assert found == {
        ("2.4.1+cu121", "cuda (NVIDIA A100)"): ["ZZ1/broken", "ZZ1/fixed"],
        ("2.4.1+cu121", "cuda (NVIDIA H100)"): ["ZZ1/fixed"],
        ("2.4.1+cu124", "cuda (NVIDIA A100)"): ["ZZ1/broken"],
    }


@pytest.mark.parametrize(
    ("results", "state"),
    [
        ([result("broken"), result("fixed")], "confirmed"),
        ([result("broken", affected=False), result("fixed")], "not affected"),
        ([result("broken"), result("fixed", affected=False)], "confirmed"),
        ([result("broken")], "not run"),
        ([result("broken"), result("fixed", Verdict.SKIPPED)], "not run"),
        ([result("broken"), result("fixed", Verdict.INCONCLUSIVE)], "not run"),
        ([result("broken"), result("fixed", Verdict.REFUTED)], "refuted"),
        ([result("broken"), result("broken", Verdict.REFUTED), result("broken"), result("fixed")], "refuted"),
    ],
)
def test_the_runs_of_an_entry_have_one_state(entries, tmp_path, results, state):
    record(entries, tmp_path, *results)
    (loaded,) = store.load(tmp_path)
    assert loaded.state_of(entries[0]).value == state


def test_a_changed_script_has_no_evidence(entries, tmp_path):
    record(entries, tmp_path, result("broken"), result("fixed"))
    entries[0].find_script("broken").path.write_text("changed = True\n")
    (loaded,) = store.load(tmp_path)
    assert loaded.state_of(entries[0]) is store.State.NOT_RUN
    assert report.summarize_runs(entries[0], [loaded]) == ""


def test_recording_again_keeps_what_was_not_run_this_time(entries, tmp_path):
    record(entries, tmp_path, result("broken"), date="2026-01-02")
    record(entries, tmp_path, result("fixed"), date="2026-03-04")
    (loaded,) = store.load(tmp_path)
    assert {key: seen.date for key, seen in loaded.scripts.items()} == {
        "ZZ1/broken": "2026-01-02",
        "ZZ1/fixed": "2026-03-04",
    }
    assert report.summarize_runs(entries[0], [loaded]) == "seen on torch 2.4.1; last run 2026-03-04"


def test_recording_keeps_the_runs_of_an_entry_that_is_newer_than_the_process(tmp_path, entries):
    """Another process adds an entry and records its runs in the meantime."""
    write_catalogue(tmp_path, entry_id="ZZ2")
    record(list(load([tmp_path])), tmp_path, result("broken", id="ZZ2"), result("broken"))
    record(entries, tmp_path, result("fixed"))
    (loaded,) = store.load(tmp_path)
    assert set(loaded.scripts) == {"ZZ1/broken", "ZZ1/fixed", "ZZ2/broken"}


def test_recording_removes_the_runs_of_scripts_that_are_gone(tmp_path, entries):
    record(entries, tmp_path, result("broken"), result("fixed"))
    entries[0].find_script("broken").path.unlink()
    record(entries, tmp_path, result("fixed"))
    (loaded,) = store.load(tmp_path)
    assert set(loaded.scripts) == {"ZZ1/fixed"}


def test_each_catalogue_keeps_its_own_results_and_one_that_cannot_is_named(tmp_path):
    folders = [
        write_catalogue(tmp_path / name, entry_id=f"ZZ{number}")
        for number, name in enumerate(("good", "bad"), 1)
    ]
    (folders[1] / "evidence").touch()
    both = [result("broken", id=f"ZZ{number}") for number in (1, 2)]
    written, not_written = store.record_by_catalogue(both, HERE, load(folders), "2026-01-02", {})
    assert written == [folders[0] / "evidence/2.4.1-3.11.7-linux-cpu.json"]
    assert len(not_written) == 1 and str(folders[1]) in not_written[0]
    scripts = [script for entry in load(folders) for script in entry.scripts]
    without = store.find_scripts_without_run(scripts, HERE, folders[:1])
    assert [script.key for script in without] == ["ZZ1/fixed", "ZZ2/broken", "ZZ2/fixed"]


def test_a_damaged_file_is_named_and_the_others_are_used(entries, tmp_path, dpkb_in_process):
    path = record(entries, tmp_path, result("broken"))
    record(entries, tmp_path, result("broken"), result("fixed"), torch="2.0.1", date="2026-03-04")
    path.write_text("{")
    with pytest.raises(DpkbError, match="not a readable evidence file"):
        store.load(tmp_path)
    for command, says in (["matrix", "--all"], "2.0.1"), (["show", "ZZ1"], "2026-03-04"):
        done = dpkb_in_process(*command, "--kb", tmp_path)
        assert (done.returncode, says in done.stdout) == (0, True), done.stdout
        (line,) = [line for line in done.stderr.splitlines() if str(path) in line]
        assert "not a readable evidence file" in line and "restore it from git, or delete it and" in line


def test_the_file_of_a_newer_dpkb_is_neither_read_nor_replaced(entries, tmp_path):
    path = record(entries, tmp_path, result("broken"))
    newer = path.read_text().replace('"version": 1', '"version": 2')
    path.write_text(newer)
    for use in (lambda: store.load(tmp_path), lambda: record(entries, tmp_path, result("fixed"))):
        with pytest.raises(DpkbError, match="written by a newer dpkb: update dpkb"):
            use()
    assert path.read_text() == newer


@pytest.mark.parametrize("version", ["0", "null", '"x"'])
def test_a_file_of_no_known_version_is_not_called_newer(entries, tmp_path, version):
    path = record(entries, tmp_path, result("broken"))
    path.write_text(path.read_text().replace('"version": 1', f'"version": {version}'))
    with pytest.raises(DpkbError, match="not a readable evidence file"):
        store.load(tmp_path)


@pytest.mark.parametrize("date", ["2026-01-02<b>", "2026-02-30", "", 20260102])
def test_a_run_has_a_real_date(entries, tmp_path, date):
    path = record(entries, tmp_path, result("broken"), date=date)
    with pytest.raises(DpkbError, match="not a readable evidence file"):
        store.read(path)


def test_stale_runs_only_scripts_without_evidence_of_their_code(dpkb_in_process, catalogue):
    folder = catalogue()
    command = ["verify", "ZZ1", "--kb", folder, "--trust", "--cold", "--record", "--stale"]

    def scripts_run():
        done = dpkb_in_process(*command, "--json")
        assert done.returncode == 0, done.stderr
        return sorted(row["script"] for row in json.loads(done.stdout)["results"])

    assert scripts_run() == ["broken", "fixed"]
    assert scripts_run() == []
    fixed = folder / "reproducers/zz1_made/fixed.py"
    fixed.write_text(fixed.read_text() + "\n# a comment\n")
    assert scripts_run() == []
    fixed.write_text(fixed.read_text().replace("value = 2", "value = 3"))
    assert scripts_run() == ["fixed"]


def test_verify_records_runs_that_show_prints(dpkb_in_process, catalogue):
    folder, dpkb = catalogue(), dpkb_in_process
    done = dpkb("verify", "ZZ1", "--kb", folder, "--trust", "--cold", "--record", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(dpkb("show", "ZZ1", "--kb", folder, "--json").stdout)
    torch = json.loads(done.stdout)["environment"]["torch"].split("+")[0]
    assert document["seen"].startswith(f"seen on torch {torch}; last run ")
    assert document["here"] == f"torch {json.loads(done.stdout)['environment']['torch']} here is affected"
    shown = json.loads(dpkb("matrix", "--all", "--kb", folder, "--json").stdout)
    assert "confirmed" in shown["entries"]["ZZ1"].values()


WAITS = """
    import json, os, sys, time
    while not os.path.exists(os.path.join(os.path.dirname(__file__), "go")):
        time.sleep(0.05)
    print("OBSERVED", json.dumps({"healthy": False}))  # BUG: made for a test
    sys.exit(1)
"""


def test_a_script_that_changes_while_it_runs_has_no_evidence(catalogue):
    folder = catalogue(broken=WAITS)
    script = folder / "reproducers/zz1_made/broken.py"
    command = [sys.executable, "-m", "dpkb", "verify", "ZZ1", "--kb", folder, "--trust", "--cold", "--record"]
    with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True) as verify:
        wait_until(
            lambda: (
                verify.poll() is not None
                or any(
                    str(script) in words
                    for process in psutil.Process(verify.pid).children(recursive=True)
                    for words in words_of(process)
                )
            )
        )
        script.write_text(script.read_text() + "changed = True\n")
        (script.parent / "go").touch()
        errors = verify.communicate()[1]
    assert verify.returncode == 0, errors
    (loaded,) = store.load(folder)
    (entry,) = load([folder])
    assert loaded.run_of(entry.find_script("fixed")) is not None
    assert "ZZ1/broken" in loaded.scripts and loaded.run_of(entry.find_script("broken")) is None


def words_of(process):
    """The command line of a process; empty if the process has ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_list_is_limited_to_entries_that_affect_one_torch(dpkb_in_process, catalogue):
    folder = catalogue()
    text = (folder / "kb" / "zz1_made.md").read_text()
    (folder / "kb" / "zz1_made.md").write_text(text.replace('torch: ">=1.8"', 'torch: "<2.0"'))
    for version, there in (("1.13", True), ("2.4", False), ("2.0.0", False)):
        done = dpkb_in_process("list", "--family", "ZZ", "--torch", version, "--kb", folder, "--json")
        assert bool(json.loads(done.stdout)["entries"]) is there


# -- the catalogue's own evidence --------------------------------------------------------------------


def test_every_script_has_evidence_for_the_newest_torch_as_it_is_now():
    """Run `dpkb verify --record` (and commit evidence/) after changing a script.

    A script that skips the newest torch, which behaves otherwise, has to have run on an older one.
    """
    all_of_it = store.load(ROOT)
    newest = next((e for e in all_of_it if e.name.startswith(f"{NEWEST}-") and e.name.endswith("cpu")), None)
    assert newest, "no evidence for the newest torch: dpkb verify --record"
    stale = [
        s.entry
        for entry in load([ROOT])
        for s in entry.scripts
        if newest.run_of(s) is None
        and "cpu" in read_reproducer(s).needs.devices
        and not ("SKIPPED torch 2 " in s.path.read_text() and any(e.run_of(s) for e in all_of_it))
    ]
    renew = " ".join(dict.fromkeys(stale))
    assert not stale, f"changed since they were run; renew with: dpkb verify {renew} --record"


def test_no_evidence_speaks_against_an_entry():
    recorded = store.load(ROOT)
    assert len(recorded) > 5 and all(one.scripts for one in recorded)
    for one in recorded:
        assert [key for key, seen in one.scripts.items() if seen.verdict is not Verdict.CONFIRMED] == []


def test_evidence_travels_with_a_copy(tmp_path, entries):
    record(entries, tmp_path, result("broken"), result("fixed"))
    shutil.copytree(tmp_path, tmp_path / "copy")
    (copied,) = store.load(tmp_path / "copy")
    assert copied.state_of(next(iter(load([tmp_path / "copy"])))) is store.State.CONFIRMED
