"""dpkb mutate: what it makes of a script, what is caught, and that a survivor is told."""

import ast
import json

import pytest
from conftest import write_catalogue

from dpkb import measured
from dpkb.catalogue import load
from dpkb.entry import Outcome, Result, Verdict
from dpkb.mutants import KINDS, mutants

BODY = '''
def kept(numbers):
    return numbers[:{limit}]  # {mark}: {words}


if __name__ == "__main__":
    seen = len(kept(list(range(8))))
    healthy = seen == 8
    print("OBSERVED", json.dumps({{"healthy": healthy, "seen": seen}}))
    sys.exit(0 if healthy else 1)
'''


def write(folder, fixed="8", broken="3", more=""):
    """A catalogue of one pair that measures what it says. `more`: lines before the fix's function."""
    write_catalogue(folder)
    scripts = folder / "reproducers" / "x1_made"
    for name, limit, mark in (("broken", broken, "BUG"), ("fixed", fixed, "FIX")):
        path = scripts / f"{name}.py"
        head = path.read_text().split("value = ")[0]
        body = BODY.format(limit=limit, mark=mark, words="as many as there are")
        path.write_text(head + (more if name == "fixed" else "") + body)
    return folder


def made(folder):
    """The mutants of a made pair, by script, without a run."""
    (entry,) = load([folder])
    sources = {script.name: script.path.read_text() for script in entry.scripts}
    seen = {
        "broken": result("broken", Outcome.WRONG_RESULT, {"healthy": False, "seen": 3}),
        "fixed": result("fixed", Outcome.HEALTHY, {"healthy": True, "seen": 8}),
    }
    return {script.name: mutants(entry, script, sources, seen) for script in entry.scripts}


def result(name, outcome, observed):
    return Result("X1", name, "", outcome, Verdict.CONFIRMED, "", "", True, observed, 0.1)


def test_a_pair_is_made_wrong_in_every_way(tmp_path):
    by_script = made(write(tmp_path))
    kinds = {mutant.kind for several in by_script.values() for mutant in several}
    # The pair differs in one line that carries both marks: undoing the one is restoring the other.
    # And it replaces a line, so there is nothing to take out.
    assert kinds == set(KINDS) - {"BUG restored", "FIX removed"}
    for name, several in by_script.items():
        original = (tmp_path / "reproducers/x1_made" / f"{name}.py").read_text()
        for mutant in several:
            assert mutant.changes(original)
            ast.parse(mutant.source)


def test_the_fix_is_taken_out_and_put_back(tmp_path):
    folder = write(tmp_path, more="patience = 3  # FIX: wait for it\n")
    wrong = {m.kind: m.source for m in made(folder)["fixed"] if m.kind.startswith("FIX")}
    assert "patience" not in wrong["FIX removed"] and "numbers[:8]" in wrong["FIX removed"]
    assert "numbers[:3]" in wrong["FIX undone"] and "numbers[:8]" not in wrong["FIX undone"]
    # A mutant that had lost its mark would be caught for that alone.
    assert all("# FIX" in source for source in wrong.values())


def test_a_bug_whose_line_the_fix_changes_without_a_mark_is_put_back(tmp_path):
    folder = write(tmp_path)
    fixed = folder / "reproducers/x1_made/fixed.py"
    fixed.write_text(fixed.read_text().replace("  # FIX: as many as there are", "")
                     .replace("import sys\n", "import sys\n\nlimit = 8  # FIX: a name\n"))
    restored = [m.source for m in made(folder)["fixed"] if m.kind == "BUG restored"]
    assert len(restored) == 1 and "numbers[:3]" in restored[0] and "limit = 8" in restored[0]


def test_every_mutant_of_a_sound_pair_is_caught(dpkb, tmp_path):
    done = dpkb("mutate", "X1", "--kb", write(tmp_path / "kb"), "--trust", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0, told["survivors"]
    counts = told["summary"]
    assert counts["survived"] == counts["not tested"] == 0
    assert counts["check"] > 10 and counts["verify"] > 10
    assert counts["check"] + counts["verify"] == counts["made"]


def test_a_fix_that_mends_nothing_survives_and_is_told(dpkb, tmp_path):
    folder = write(tmp_path / "kb", more="patience = 3  # FIX: wait for it\n")
    done = dpkb("mutate", "X1", "--kb", folder, "--trust", "--kind", "FIX removed")
    assert done.returncode == 1, done.stderr
    assert "X1 fixed: FIX removed" in done.stdout and "confirmed: a healthy run" in done.stdout
    assert "-patience = 3  # FIX: wait for it" in done.stdout
    assert done.stdout.count("X1 fixed: FIX removed") == 1


def test_nothing_of_an_added_catalogue_runs_without_a_yes(dpkb, tmp_path):
    done = dpkb("mutate", "X1", "--kb", write(tmp_path / "kb"))
    assert done.returncode == 2 and "--trust" in done.stderr and "Traceback" not in done.stderr


def test_what_a_check_sees_is_mended_first(dpkb, tmp_path):
    folder = write(tmp_path / "kb")
    fixed = folder / "reproducers/x1_made/fixed.py"
    fixed.write_text(fixed.read_text().replace("    healthy = seen == 8\n", ""))
    done = dpkb("mutate", "X1", "--kb", folder, "--trust")
    assert done.returncode != 0 and "dpkb check" in done.stderr and "Traceback" not in done.stderr


def test_an_unknown_kind_is_a_mistake_of_the_user(dpkb):
    done = dpkb("mutate", "--kind", "worse")
    assert done.returncode == 2 and "FIX removed" in done.stderr and "Traceback" not in done.stderr


# -- what a check of the text sees ---------------------------------------------------------------

HEAD = "import json\nimport sys\nimport torch\n\nlimit = 2\n\n\ndef work(n):\n    return n + 1\n\n\n"
GUARD = 'if __name__ == "__main__":\n'
END = '    print("OBSERVED", json.dumps({"healthy": healthy, "n": n}))\n    sys.exit(0 if healthy else 1)\n'


def said(*lines, head=HEAD, end=END):
    body = "".join(f"    {line}\n" for line in lines)
    return [message for _, message in measured.problems(head + GUARD + body + end)]


@pytest.mark.parametrize(("lines", "says"), [
    (["n = 2", "healthy = n == 2"], "`healthy` follows from what is written"),
    (["n = work(1)", "healthy = True"], "`healthy` follows from what is written"),
    (["n = [1, 2].count(1)", "healthy = n == limit"], "`healthy` follows from what is written"),
    (["n = json.loads('2')", "healthy = n == limit"], "`healthy` follows from what is written"),
    (["n = 0", "for _ in range(2):", "    n += 1", "healthy = n == 2"], "`healthy` follows from what"),
    (["n = [2]", "def change(n):", "    n.append(3)", "healthy = n == [2]"], "`healthy` follows from"),
    (["sys.exit(0)", "n = work(1)", "healthy = n == 2"], "always leaves here"),
    (["raise RuntimeError('no')", "n = work(1)", "healthy = n == 2"], "always leaves here"),
    (["n = work(1)", "print('OBSERVED {}')", "healthy = n == 2"], "OBSERVED is said once"),
    (["n = work(1)", "print('SKIPPED no')", "sys.exit(77)", "healthy = n == 2"], "skips without asking"),
    (["n = work(1)", "if limit:", "    print('SKIPPED no')", "    sys.exit(77)", "healthy = n == 2"],
     "skips without asking"),
    (["n = work(1)", "if sys.argv:", "    print('SKIPPED no')", "    sys.exit(77)", "healthy = n == 2"],
     "skips without asking"),
    (["n = work(1)", "if torch.cuda.is_available():", "    sys.exit(77)", "healthy = n == 2"], "says why"),
])
def test_what_is_not_measured_is_seen(lines, says):
    assert any(says in message for message in said(*lines)), said(*lines)


def test_a_number_is_not_written_by_hand():
    end = END.replace('"n": n', '"n": 3')
    (message,) = said("n = work(1)", "healthy = n == 2", end=end)
    assert message.startswith("'n' is written, not measured")


@pytest.mark.parametrize(("beside", "lines"), [
    ("data = torch.ones(3)\n", ["n = 3", "healthy = n == len(data)"]),
    ("def count():\n    global limit\n    limit += 1\n\n\n", ["n = 1", "healthy = limit == 2"]),
])
def test_what_stands_beside_the_experiment_is_no_finding(beside, lines):
    assert any("`healthy` follows" in message for message in said(*lines, head=HEAD + beside))


@pytest.mark.parametrize("lines", [
    ["n = work(1)", "healthy = n == 2"],
    ["n = []", "n.append(work(1))", "healthy = n == [2]"],
    ["n = 0", "for _ in torch.ones(3):", "    n += 1", "healthy = n == 3"],
    ["n = [0, 0]", "torch.spawn(work, args=(n,))", "healthy = n == [1, 1]"],
    ["n = 0", "try:", "    torch.ones(-1)", "except RuntimeError:", "    n = 1", "healthy = n == 1"],
    ["with torch.profiler() as n:", "    pass", "healthy = n == 2"],
    ["if not torch.cuda.is_available():", "    print('SKIPPED no GPU')", "    sys.exit(77)",
     "n = work(1)", "healthy = n == 2"],
])
def test_what_is_measured_passes(lines):
    assert said(*lines) == []


def test_a_skip_is_read_as_a_pattern():
    source = "if shm < 4:\n    print(f'SKIPPED /dev/shm is {shm} MB')\n    sys.exit(77)\n"
    (pattern,) = measured.skip_texts(source)
    assert pattern == r"SKIPPED\ /dev/shm\ is\ .*\ MB"
    assert measured.skip_texts("print('SKIPPED no')\n") == ()
