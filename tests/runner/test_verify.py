"""Scripts that are run and judged: alone, and several at once."""

import signal
import threading
import time
from pathlib import Path

import pytest
from support import SKIPPING, write_catalogue
from support.results import result

from dpkb.catalogue.load import load
from dpkb.errors import Stopped, UnknownName
from dpkb.model import Needs, Outcome, Reproducer
from dpkb.run_records import Environment, Missing, Verdict
from dpkb.runner.stop_signals import stop_on_signals
from dpkb.runner.verify import (
    VerifyPlan,
    create_untrusted_result,
    find_missing_need,
    read_scripts,
    reproduce,
    run_plan,
    verify,
)

FAILS = "import sys\nprint('OBSERVED', '{\"healthy\": false, \"steps\": [5, 7]}')\nsys.exit(1)\n"


UNUSED = Path("unused")


def reproducer(folder=None, source="", name="broken", shows=Outcome.WRONG_RESULT, **needs):
    """A script of an entry; with a folder, as a file there."""
    path = (folder or UNUSED) / f"{name}.py"
    if folder:
        path.write_text(source)
    return Reproducer("ZZ1", name, path, "it fails", shows, source=source, needs=Needs(**needs))


# -- one script ---------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["program", "fork"])
def test_a_script_is_judged_by_its_claim(way, session_of, tmp_path):
    for shows, verdict in ((Outcome.WRONG_RESULT, Verdict.CONFIRMED), (Outcome.HEALTHY, Verdict.REFUTED)):
        judged = reproduce(reproducer(tmp_path, FAILS, shows=shows), session_of(way))
        assert (judged.outcome, judged.verdict) == (Outcome.WRONG_RESULT, verdict)
        assert (judged.id, judged.script, judged.claim) == ("ZZ1", "broken", "it fails")
        assert judged.observed == {"healthy": False, "steps": [5, 7]}


def test_output_is_passed_on_as_it_comes_and_the_end_of_stderr_is_kept(session_of, tmp_path):
    source = "import sys\nprint('a warning', file=sys.stderr)\n" + FAILS
    chunks = []
    judged = reproduce(
        reproducer(tmp_path, source),
        session_of("program"),
        lambda stream, chunk: chunks.append((stream, chunk)),
    )
    assert judged.log == "a warning\n"
    assert b"".join(chunk for stream, chunk in chunks if stream == "stderr") == b"a warning\n"
    assert b"".join(chunk for stream, chunk in chunks if stream == "stdout").startswith(b"OBSERVED")


def test_a_script_that_needs_a_gpu_is_skipped_without_a_run(session_of, tmp_path):
    script = reproducer(tmp_path, "raise SystemError", devices=("cuda",))
    judged = reproduce(script, session_of("program"))
    assert (judged.outcome, judged.verdict, judged.seen) == (
        Outcome.SKIPPED,
        Verdict.SKIPPED,
        "needs a CUDA GPU, and this run uses the CPU",
    )
    assert judged.seconds == 0 and judged.log == "" and judged.missing is Missing.GPU


@pytest.mark.parametrize(
    ("reason", "packages", "objection"),
    [
        ("no_such_package is not installed", ("torch", "no_such_package"), None),
        ("no_such_package is not installed", ("torch",), "`Needs:` line does not name no_such_package"),
        ("json is not installed", ("torch", "json"), "but json is installed"),
        ("json is too old", ("torch",), None),
        ("libgomp-1 is not installed", ("torch",), None),
    ],
)
def test_a_skip_for_a_package_counts_only_if_it_is_needed_and_missing(
    reason, packages, objection, session_of, tmp_path
):
    source = SKIPPING.replace("a moon", reason)
    judged = reproduce(reproducer(tmp_path, source, packages=packages), session_of("program"))
    if objection is None:
        assert (judged.outcome, judged.seen) == (Outcome.SKIPPED, reason)
        assert judged.missing is (Missing.PACKAGE if "installed" in reason else Missing.OTHER)
    else:
        assert (judged.outcome, judged.verdict) == (Outcome.INVALID, Verdict.INCONCLUSIVE)
        assert objection in judged.seen and judged.missing is None


@pytest.mark.parametrize(
    ("places", "environment", "missing"),
    [
        ({"devices": ("cuda",)}, {"device": "cpu"}, Missing.GPU),
        ({"devices": ("cuda",)}, {"device": "cuda (X)"}, None),
        ({"devices": ("cpu", "cuda")}, {"device": "cpu"}, None),
        ({"linux": True}, {"os": "darwin"}, Missing.LINUX),
        ({"linux": True}, {"os": "linux"}, None),
        ({}, {"os": "windows"}, None),
    ],
)
def test_a_place_that_this_machine_lacks_is_named(places, environment, missing):
    here = Environment("python", "3.11.7", "2.15.0", None, **{"os": "linux", "device": "cpu", **environment})
    answer = find_missing_need(Needs(**places), here)
    assert (answer and answer.missing) is missing


# -- several scripts ----------------------------------------------------------------------------


class FakeSession:
    """A session in which no script is started."""

    def __init__(self):
        self.stop = threading.Event()


@pytest.fixture
def run_as(monkeypatch):
    """run_as(function): verify() calls it with each script, in place of a run."""
    return lambda run: monkeypatch.setattr(
        "dpkb.runner.verify.reproduce", lambda script, session: run(script)
    )


def scripts_of(*seconds):
    return [reproducer(name=f"of_{number}", about_seconds=number) for number in seconds]


def test_the_longest_script_is_started_first_in_each_round(run_as):
    run_as(lambda script: result(script.name))
    session = FakeSession()
    names = [r.script for r in verify(scripts_of(2, 30, 5), session, jobs=1, repeat=2)]
    assert names == ["of_30", "of_5", "of_2"] * 2
    assert not session.stop.is_set()


def test_as_many_scripts_run_at_once_as_there_are_jobs(run_as):
    running, most, lock, both_run = 0, 0, threading.Lock(), threading.Barrier(2, timeout=60)

    def run(script):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both_run.wait()  # raises after a minute if they run in turn
        time.sleep(0.01)
        with lock:
            running -= 1
        return result(script.name)

    run_as(run)
    assert len(list(verify(scripts_of(1, 2, 3, 4), FakeSession(), jobs=2))) == 4
    assert most == 2


@pytest.mark.parametrize(("seconds", "jobs"), [((1, 2), 4), ((), 1)])
def test_there_are_no_more_jobs_than_runs(run_as, seconds, jobs):
    run_as(lambda script: result(script.name))
    session = FakeSession()
    session.environment = None
    plan = VerifyPlan(catalogue=None, scripts=scripts_of(*seconds), untrusted=[])
    assert run_plan(plan, session, jobs=1000, repeat=2, on_result=lambda result: None).jobs == jobs


def test_an_error_in_a_run_reaches_the_caller_and_stops_the_other_runs(run_as):
    session = FakeSession()

    def run(script):
        if script.name == "of_9":
            raise OSError("no more processes")
        assert session.stop.wait(60)
        return result(script.name)

    run_as(run)
    with pytest.raises(OSError, match="no more processes"):
        list(verify(scripts_of(9, 1), session, jobs=2))
    assert session.stop.is_set()


def test_a_caller_that_stops_early_stops_the_runs(run_as):
    session = FakeSession()

    def run(script):
        assert script.name == "of_9" or session.stop.wait(60)
        return result(script.name)

    run_as(run)
    results = verify(scripts_of(9, 1), session, jobs=2)
    assert next(results).script == "of_9"
    results.close()
    assert session.stop.is_set()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
def test_a_signal_that_does_not_wake_the_main_thread_ends_the_runs(run_as):
    """As one that comes just before the main thread waits for a result."""
    session, was_noticed = FakeSession(), []

    def run(script):
        time.sleep(0.1)  # until the main thread waits
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        was_noticed.append(session.stop.wait(30))
        raise Stopped

    run_as(run)
    with pytest.raises(Stopped), stop_on_signals(session.stop):
        list(verify(scripts_of(1), session, jobs=1))
    assert was_noticed == [True]


# -- which scripts ------------------------------------------------------------------------------


def test_scripts_are_read_once_for_each_entry_that_is_named(tmp_path):
    for number in (1, 2):
        write_catalogue(tmp_path, entry_id=f"ZZ{number}", seconds=number)
    catalogue = load([tmp_path])
    keys = ["ZZ1/broken", "ZZ1/fixed", "ZZ2/broken", "ZZ2/fixed"]
    assert [script.key for script in read_scripts(catalogue, [])] == keys
    named = read_scripts(catalogue, ["zz2", "ZZ2"])
    assert [script.key for script in named] == keys[2:]
    assert "OBSERVED" in named[0].source and named[0].needs.about_seconds == 2
    with pytest.raises(UnknownName, match="ZZ3"):
        read_scripts(catalogue, ["ZZ3"])


def test_scripts_of_a_withdrawn_entry_are_not_read(tmp_path):
    entry = write_catalogue(tmp_path) / "kb" / "zz1_made.md"
    entry.write_text(entry.read_text().replace("kind: silent\n", "kind: silent\nwithdrawn: it was wrong\n"))
    catalogue = load([tmp_path])
    assert catalogue.find_entry("ZZ1").withdrawn
    assert read_scripts(catalogue, []) == read_scripts(catalogue, ["ZZ1"]) == []


def test_an_untrusted_script_counts_as_skipped_and_says_what_to_do():
    skipped = create_untrusted_result(reproducer())
    assert (skipped.outcome, skipped.verdict, skipped.id) == (Outcome.SKIPPED, Verdict.SKIPPED, "ZZ1")
    assert "--trust" in skipped.seen
