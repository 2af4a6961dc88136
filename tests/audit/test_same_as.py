"""Resumed runs are compared with runs that were never stopped: programs of many kinds, sound and with one fault each.

Each program in resumed/ trains to its end, or with --stop until it is stopped, and goes on with --resume.
"""

import json
import sys
from pathlib import Path

import pytest

from dpkb.audit.collect import collect
from dpkb.audit.same_as import compare_traces, read_header
from dpkb.errors import ExitCode, UsageError
from tools.audit_catalogue import run_forks

PROGRAMS = sorted((Path(__file__).parent / "resumed").glob("*.py"))
OPTIMIZER = '    optimizer.load_state_dict(saved["optimizer"])\n'
SCHEDULER = '    scheduler.load_state_dict(saved["scheduler"])\n'
# A fault: the program, what is changed in the run that resumes, and what is named: the first step, what differs
# there first, and one of its entries.
FAULTS = {
    "optimizer": ("plain", OPTIMIZER, "", 31, "optimizer state", "C1"),
    "position": ("plain", ', saved["used"]', ", 0", 31, "samples", "C13"),
    "skipped": ("plain", 'saved["used"]', 'saved["used"] + 8', 31, "samples", "C13"),
    "another_seed": ("plain", "manual_seed(epoch)", "manual_seed(epoch + 9)", 31, "samples", "C13"),
    "no_file": ("plain", 'exists("last.pt")', 'exists("lst.pt")', 1, "start", "C36"),
    "no_file_no_seed": ("plain", "manual_seed(0)", "manual_seed(1); sys.argv.pop()", 1, "start", "C36"),
    "ends_late": ("plain", "range(start, 4)", "range(start, start + 4)", 48, "end", "C36"),
    "ends_early": ("plain", "range(start, 4)", "range(start, 3)", 36, "end", "C36"),
    "first_epoch_again": ("batchnorm", 'start = saved["epoch"] + 1', "", 25, "end", "C36"),
    "generator": ("batchnorm", '    generator.set_state(saved["generator"])\n', "", 16, "samples", "C13"),
    "buffers": (
        "batchnorm",
        'model.load_state_dict(saved["model"])',
        'model.load_state_dict({k: v for k, v in saved["model"].items() if "running" not in k}, strict=False)',
        16,
        "buffers",
        "C1",
    ),
    "scheduler": ("batchnorm", SCHEDULER, "", 21, "learning rate", "O31"),
    "learning_rate": ("batchnorm", OPTIMIZER + SCHEDULER, "", 16, "learning rate", "C1"),
    "other_unit": (
        "schedule",
        "        scheduler.step()\n",
        "    scheduler.step()\n",
        25,
        "learning rate",
        "O31",
    ),
    "random_numbers": ("schedule", 'torch.set_rng_state(saved["random"])', "", 17, "samples", "C1"),
    "scaler": ("scaler", '    scaler.load_state_dict(saved["scaler"])\n', "", 17, "loss scale", "C1"),
    "average": ("ema", 'average.load_state_dict(saved["average"])', "", 24, "saved state", "C1"),
    "stream": ("stream", "step * 8", "0", 25, "samples", "C13"),
    "ahead": ("workers", 'state["used"]', 'state["used"] + 24', 15, "samples", "C13"),
    "accumulation": ("accumulate", "if number <= skip", "if number < skip", 12, "samples", "C13"),
    "state": ("lstm", 'saved["state"], ', "None, ", 22, "loss", None),
    "set_epoch": ("ranks", "        sampler.set_epoch(epoch)\n", "", 11, "samples", "DP14"),
    "epoch_of_sampler": ("ranks", "set_epoch(epoch)", "set_epoch(epoch - start)", 11, "samples", "DP14"),
    "one_optimizer": ("gan", "zip(parts, ", "zip(parts[:3], ", 42, "optimizer state", "C1"),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folder in which the programs have run, with whole-NAME, and resumed-NAME of a program or a fault."""
    parent = tmp_path_factory.mktemp("resumed")
    jobs = []

    def add(kind, name, script, *arguments, place, after=None):
        folder = parent / f"{kind}-{name}.audit"
        folder.mkdir()
        jobs.append(
            {
                "script": str(script),
                "folder": str(folder),
                "open_files": None,
                "arguments": arguments,
                "place": str(place),
                "after": after,
                "variables": {"DPKB_AUDIT_TRACE": str(parent / f"{kind}-{name}")},
            }
        )
        return str(folder)

    def resume(name, program, script):
        place = parent / f"{name}.place"
        place.mkdir()
        after = add("stopped", name, program, "--stop", place=place)
        add("resumed", name, script, "--resume", place=place, after=after)

    for program in PROGRAMS:
        (parent / program.stem).mkdir()
        add("whole", program.stem, program, place=parent / program.stem)
        resume(program.stem, program, program)
    for name, (stem, old, new, *_) in FAULTS.items():
        program = next(program for program in PROGRAMS if program.stem == stem)
        text = program.read_text()
        assert old in text, name
        script = parent / f"{name}.py"
        script.write_text(text.replace(old, new))
        resume(f"{name}-fault", program, script)
    plan = {"at_once": 2, "seconds": 120, "jobs": jobs}
    codes = dict(run_forks(sys.executable, plan, parent / "plan.json", OMP_NUM_THREADS="1"))
    failed = [Path(folder).name for folder, code in codes.items() if code]
    assert not failed, {name: (parent / name / "output").read_text()[-2000:] for name in failed}
    return parent


def compare(folders, name, program):
    return compare_traces(folders / f"whole-{program}", folders / f"resumed-{name}", asked_to_resume=True)


@pytest.mark.reproducers
@pytest.mark.parametrize("program", [program.stem for program in PROGRAMS])
def test_a_sound_resume_equals_the_run_that_was_never_stopped(folders, program):
    result = compare(folders, program, program)
    assert (result.verdict, result.differences) == (ExitCode.YES, ()), result
    assert 1 < result.began < result.last
    assert collect(folders / f"resumed-{program}.audit").failed_checks == []


@pytest.mark.reproducers
@pytest.mark.parametrize("name", FAULTS)
def test_the_first_step_and_the_first_thing_that_differ_are_named(folders, name):
    program, _, _, step, what, entry = FAULTS[name]
    result = compare(folders, f"{name}-fault", program)
    assert result.verdict is ExitCode.NO, result
    assert (step or result.step, what) == (result.step, result.differences[0].what), result
    ids = [id for one in result.differences for id in one.ids]
    assert entry in ids or not (entry or ids), result


def step(number, **changed):
    """A step of a trace. number: what its digests contain."""
    return {
        "weights": f"w{number}",
        "rates": [0.1],
        "settings": "s",
        "count": number,
        "moments": f"m{number}",
        "passes": [[str(1 / number), [f"i{number}", f"c{number}", number, None]]],
        "scale": [],
        "random": {"torch": "r"},
        "others": {},
    } | changed


@pytest.fixture
def compared(tmp_path):
    """compared(earlier, now) -> the comparison of two traces, from their lines."""

    def compare(earlier, now, resumes=False, cut="", **header):
        """cut: the end of both. header: of the trace `now`, where it differs."""
        for name, lines in (("earlier", earlier), ("now", now)):
            first = {"trace": 1, "rank": None, "loads": 0, "run": {"threads": 2}}
            first |= header if name == "now" else {}
            text = "".join(json.dumps(line) + "\n" for line in (first, *lines))
            (tmp_path / name).write_text(text + cut)
        return compare_traces(tmp_path / "earlier", tmp_path / "now", resumes)

    return compare


WHOLE = [*map(step, range(1, 9))]
END = {"completed": True, "weights": "w9", "others": {}}


def test_a_run_that_was_killed_in_a_line_is_compared_up_to_it(compared):
    result = compared(WHOLE, WHOLE[3:], cut='{"weights": "w9", "rat')
    assert (result.verdict, result.began, result.last, result.notes) == (ExitCode.YES, 4, 8, ())


def test_a_run_that_resumes_nothing_says_whether_the_program_repeats_itself(compared):
    result = compared([*WHOLE, END], [*WHOLE, END])
    assert result.verdict is ExitCode.YES and "the program repeats itself" in result.notes[0]
    changed = [*WHOLE[:4], step(5, passes=[["0.3", *WHOLE[4]["passes"][0][1:]]]), *WHOLE[5:]]
    result = compared(WHOLE, changed, run={"threads": 4})
    assert (result.verdict, result.step) == (ExitCode.NO, 5)
    assert result.differences[0].message.startswith(
        "the loss is 0.3 instead of 0.2: samples, weights and random"
    )
    assert result.notes[0] == "the runs are not alike (threads: 4 instead of 2)"
    assert "the program does not even repeat itself" in result.notes[1]


def test_random_numbers_count_only_if_something_else_differs(compared):
    whole = [step(number, random={"torch": f"r{number}"}) for number in range(1, 9)]
    now = [line | {"random": {"torch": "x"}} for line in whole[3:]]
    result = compared(whole, now)
    assert result.verdict is ExitCode.YES
    assert result.notes == ("another state of random numbers from step 4 on, without an effect",)
    now[3] = now[3] | {"passes": [["0.3", *now[3]["passes"][0][1:]]]}
    result = compared(whole, now)
    assert (result.step, [one.what for one in result.differences]) == (7, ["random numbers", "loss"])
    assert "torch, since step 4" in result.differences[0].message


def test_weights_that_nothing_can_read_are_said(compared):
    whole = [line | {"weights": ""} for line in WHOLE]
    result = compared(whole, whole[3:])
    assert (result.verdict, result.began) == (ExitCode.YES, 4) and "were not compared" in result.notes[0]


def test_runs_that_are_not_equal_in_bits_are_aligned_by_their_steps(compared):
    now = [
        line | {"weights": f"x{number}", "passes": line["passes"]} for number, line in enumerate(WHOLE[3:])
    ]
    result = compared(WHOLE, now, loads=1)
    assert (result.verdict, result.differences) == (ExitCode.CANNOT_ASK, ())
    assert result.notes[1].startswith("by the number of optimizer steps it began at step 4")
    now[2] = now[2] | {"rates": [0.01]}
    result = compared(WHOLE, now, loads=1)
    assert (result.verdict, result.step, result.differences[0].what) == (ExitCode.NO, 6, "learning rate")


def test_a_loaded_state_of_no_step_is_not_comparable(compared):
    result = compared(WHOLE, [step(4, weights="x", count=0)], loads=1)
    assert result.verdict is ExitCode.CANNOT_ASK and "dpkb show C18" in result.notes[0]


@pytest.mark.parametrize(
    ("earlier", "now", "why"),
    [
        ([*WHOLE, END], [step(9)], "began where the earlier one had ended"),
        ([*WHOLE, {"trace": 1}, *WHOLE], WHOLE[3:], "several processes"),
        ([{"weights": "w1", "rates": [1]}], WHOLE, "is damaged"),
        (WHOLE, [], "ended in its first optimizer step"),
    ],
)
def test_traces_that_cannot_be_compared(compared, earlier, now, why):
    result = compared(earlier, now)
    assert result.verdict is ExitCode.CANNOT_ASK and why in result.notes[0]


def test_the_rank_that_differs_first_is_named(compared, tmp_path):
    compared(WHOLE, WHOLE[3:])
    for rank, now in ((1, [*WHOLE[3:6], step(7, rates=[0.2])]), (2, [WHOLE[3], step(5, rates=[0.3])])):
        for name, lines in (("earlier", WHOLE), ("now", now)):
            header = (tmp_path / name).read_text().splitlines()[0]
            text = "\n".join([header, *map(json.dumps, lines)])
            (tmp_path / f"{name}.rank{rank}").write_text(text)
    result = compare_traces(tmp_path / "earlier", tmp_path / "now", False)
    assert (result.rank, result.step) == (2, 5)
    (tmp_path / "now.rank2").unlink()
    result = compare_traces(tmp_path / "earlier", tmp_path / "now", False)
    assert result.notes == ("the earlier run trained on 3 ranks, and this one on 2",)


def test_a_run_without_a_step(tmp_path, compared):
    compared(WHOLE, WHOLE)
    result = compare_traces(tmp_path / "earlier", tmp_path / "nothing", True)
    assert result.verdict is ExitCode.NO and result.differences[0].ids == ("C36",)


@pytest.mark.parametrize("text", ["", "print()\n", "[1]\n", '{"trace": 2}\n'])
def test_a_file_that_is_no_trace(tmp_path, text):
    (tmp_path / "train.py").write_text(text)
    with pytest.raises(UsageError, match="not a trace"):
        read_header(tmp_path / "train.py")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_header(tmp_path / "missing")
