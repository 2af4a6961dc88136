"""One run of a script: its output while it runs, and its verdict."""

import pytest
from support import write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load, read_reproducer
from dpkb.model import Outcome
from dpkb.output.repro import LiveOutput, render_repro, render_repro_start, repro_fields
from dpkb.run_records import Limit, Missing, Verdict


@pytest.fixture(autouse=True)
def window(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    return load([write_catalogue(tmp_path_factory.mktemp("catalogue"))]).find_entry("ZZ1")


def test_the_environment_of_a_run_has_no_folder_of_the_user():
    assert set(repro_fields(HERE, result())["environment"]) == {
        "executable",
        "python",
        "torch",
        "torchvision",
        "os",
        "device",
        "packages",
    }


def live(capsys, *chunks, limit=20_000):
    output = LiveOutput(limit)
    for stream, chunk in chunks:
        output.take(stream, chunk)
    output.close()
    return capsys.readouterr().out


def test_lines_come_when_they_are_complete_and_each_stream_has_its_own(capsys):
    assert (
        live(
            capsys,
            ("stdout", b"one\ntw"),
            ("stderr", b"war"),
            ("stdout", b"o\n"),
            ("stderr", b"ning"),
        )
        == "│ one\n│ two\n│ warning\n"
    )


def test_lines_for_dpkb_are_not_shown_and_control_characters_are_escaped(capsys):
    assert (
        live(capsys, ("stdout", b'OBSERVED {"healthy": true}\nSKIPPED no moon\n\x1b[31mred \xff\n'))
        == "│ \\x1b[31mred \\xff\n"
    )


def test_long_output_is_cut_with_one_note(capsys):
    shown = live(capsys, *[("stdout", b"x" * 60 + b"\n")] * 50, limit=200)
    assert shown.count("x" * 60) == 4 and shown.count("more output, not shown") == 1
    assert shown.endswith("not shown)\n")


def test_a_line_without_an_end_takes_no_memory(capsys):
    shown = live(capsys, *[("stdout", b"x" * 1000)] * 50)
    assert shown.count("x") == 4096


def rendered(entry, script="broken", **more):
    return render_repro(read_reproducer(entry.find_script(script)), HERE, result(script, **more))


def test_the_start_names_the_script_and_its_environment(entry):
    assert render_repro_start(read_reproducer(entry.find_script("broken")), HERE) == (
        "ZZ1 broken.py\ntorch 2.4.1+cu121, Python 3.11.7, linux, cpu · about 1 s"
    )


def test_expected_and_seen_stand_beside_each_other(entry):
    lines = rendered(
        entry, observed={"healthy": False, "peak_mb": 3.14159, "names": [1, True]}, seen="a wrong \x1bresult"
    ).splitlines()
    assert [line.strip() for line in lines[1:4]] == [
        "The entry says  a wrong result: it fails",
        "Seen here       a wrong \\x1bresult",
        "peak MB: 3.142",
    ]
    assert lines[4].strip() == "names: 1, yes" and "healthy" not in "".join(lines[3:5])


@pytest.mark.parametrize(
    ("verdict", "affected", "says"),
    [
        (
            Verdict.CONFIRMED,
            True,
            "Verdict         confirmed: this machine shows what the entry says (1.2 s)",
        ),
        (Verdict.CONFIRMED, False, "Verdict         confirmed (not affected here): this machine shows"),
        (Verdict.REFUTED, True, "Verdict         refuted: this machine does not show what the entry says"),
        (Verdict.INCONCLUSIVE, True, "Verdict         inconclusive: this run says nothing about the entry"),
        (Verdict.SKIPPED, True, "Verdict         skipped: the script needs something that is missing here"),
    ],
)
def test_a_verdict_has_its_meaning(entry, verdict, affected, says):
    assert says in rendered(entry, verdict=verdict, affected=affected)


@pytest.mark.parametrize(
    ("script", "verdict", "last"),
    [
        ("broken", Verdict.CONFIRMED, "Now the fix: dpkb repro ZZ1 --fixed · as a diff: dpkb diff ZZ1"),
        ("fixed", Verdict.CONFIRMED, "The fix as a diff: dpkb diff ZZ1 · why it works: dpkb show ZZ1"),
        ("broken", Verdict.SKIPPED, "Runs on other machines: dpkb show ZZ1"),
        ("broken", Verdict.INCONCLUSIVE, "Run it again: dpkb repro ZZ1"),
        (
            "fixed",
            Verdict.REFUTED,
            "Then the entry is wrong or outdated. The versions that it names: dpkb show ZZ1 --all",
        ),
    ],
)
def test_each_verdict_has_a_next_step(entry, script, verdict, last):
    assert rendered(entry, script, verdict=verdict).splitlines()[-1] == last


@pytest.mark.parametrize(
    ("limit", "seconds", "last"),
    [
        (Limit.TIME, 1.1, "Give it more time: dpkb repro ZZ1 --timeout 480"),
        (Limit.TIME, 300.4, "Give it more time: dpkb repro ZZ1 --timeout 1200"),
        (Limit.OUTPUT, 3.0, "Run it again: dpkb repro ZZ1"),
        (Limit.MEMORY, 3.0, "Run it again: dpkb repro ZZ1"),
    ],
)
def test_only_a_script_that_was_too_slow_is_given_more_time(entry, limit, seconds, last):
    fields = {"outcome": Outcome.TIMED_OUT, "verdict": Verdict.INCONCLUSIVE, "limit": limit}
    shown = rendered(entry, seen="stopped: it printed 'still running'", seconds=seconds, **fields)
    assert shown.splitlines()[-1] == last


@pytest.mark.parametrize(
    ("missing", "remedy"),
    [
        (
            Missing.PACKAGE,
            "install the package: /usr/bin/python -m pip install PACKAGE, "
            "or use a Python that has it: dpkb repro ZZ1 --python PATH",
        ),
        (Missing.GPU, "use a machine with a CUDA GPU and a torch with CUDA, without --device cpu"),
        (Missing.ROOT, "run dpkb as root"),
        (Missing.LINUX, "run dpkb on Linux"),
        (Missing.TORCH_VERSION, "use another version of torch: dpkb repro ZZ1 --torch VERSION"),
        (Missing.OTHER, "use a machine or a Python that has it: dpkb repro ZZ1 --python PATH"),
    ],
)
def test_a_skipped_run_says_what_is_missing_and_how_to_get_it(entry, missing, remedy):
    lines = rendered(entry, verdict=Verdict.SKIPPED, seen="no moon", missing=missing).splitlines()
    assert any(line.split() == ["Seen", "here", "no", "moon"] for line in lines)
    assert lines[-2] == f"To run it, {remedy}"


def test_the_end_of_stderr_is_shown_for_a_run_without_a_result(entry):
    log = "x" * 3000 + "\nno OBSERVED line"
    shown = rendered(entry, verdict=Verdict.INCONCLUSIVE, outcome=Outcome.INVALID, log=log)
    assert "no OBSERVED line" in shown and 1900 < shown.count("x") < 2000
    assert "no OBSERVED" not in rendered(entry, outcome=Outcome.WRONG_RESULT, log=log)


def test_equal_cells_of_a_grid_share_a_letter(entry):
    shown = rendered(
        entry,
        observed={"healthy": False, "crop_by_worker_and_epoch": [[7, 7], [8, 9]], "steps_by_rank": [1, 2]},
    )
    crop, _, steps = shown.partition("steps")
    assert "crop  equal cells share a letter" in crop and crop.count("7 [a]") == 2 and " 9 " in crop
    assert "share a letter" not in steps and "rank 1" in steps


def test_a_grid_with_more_repeated_values_than_colours_is_still_whole(entry):
    rows = [[number, number] for number in range(8)]
    shown = rendered(entry, observed={"healthy": False, "crop_by_worker_and_epoch": rows})
    assert "6 [g]" in shown and "7 [" not in shown and shown.count("[") == 14
