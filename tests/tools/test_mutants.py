"""The mutants of a pair, without a run."""

import ast
import re

import pytest
from support.mutant_pair import write_pair
from support.results import result

from dpkb.catalogue.load import load
from dpkb.model import Outcome
from tools.mutants import KINDS, make_mutants


def mutants_of(folder):
    """The mutants of each script of a pair."""
    (entry,) = load([folder])
    sources = {script.name: script.path.read_text() for script in entry.scripts}
    seen = {
        "broken": result(observed={"healthy": False, "seen": 3}),
        "fixed": result("fixed", outcome=Outcome.HEALTHY, observed={"healthy": True, "seen": 8}),
    }
    return {script.name: make_mutants(entry, script, sources, seen) for script in entry.scripts}


def fixed_mutants(folder, kind):
    """The mutants of one kind of fixed.py, as (change without its line number, source)."""
    found = [mutant for mutant in mutants_of(folder)["fixed"] if mutant.kind == kind]
    return [(re.sub(r"line \d+(, )?", "", mutant.change), mutant.source) for mutant in found]


def test_a_pair_is_changed_in_every_way(tmp_path):
    by_script = mutants_of(write_pair(tmp_path))
    kinds = {mutant.kind for several in by_script.values() for mutant in several}
    # The pair differs in one line, which has both marks: to undo its FIX restores its BUG. The line replaces
    # another, so none can be removed. There is no loop to empty.
    assert kinds == set(KINDS) - {"BUG restored", "FIX removed", "work emptied"}
    for name, several in by_script.items():
        original = (tmp_path / "reproducers/zz1_made" / f"{name}.py").read_text()
        for mutant in several:
            assert mutant.changed_lines(original)
            ast.parse(mutant.source)


def test_the_fix_is_taken_out_and_put_back(tmp_path):
    folder = write_pair(tmp_path, more="patience = 3  # FIX: wait for it\n")
    ((_, removed),) = fixed_mutants(folder, "FIX removed")
    ((_, undone),) = fixed_mutants(folder, "FIX undone")
    assert "patience" not in removed and "numbers[:8]" in removed
    assert "numbers[:3]" in undone and "numbers[:8]" not in undone
    # `dpkb check` would reject a mutant without a mark, whatever else was changed.
    assert "# FIX" in removed and "# FIX" in undone


def test_a_bug_whose_line_the_fix_changes_without_a_mark_is_put_back(tmp_path):
    folder = write_pair(tmp_path)
    fixed = folder / "reproducers/zz1_made/fixed.py"
    fixed.write_text(
        fixed.read_text()
        .replace("  # FIX: as many as there are", "")
        .replace("import sys\n", "import sys\n\nlimit = 8  # FIX: a name\n")
    )
    ((_, restored),) = fixed_mutants(folder, "BUG restored")
    assert "numbers[:3]" in restored and "limit = 8" in restored


def test_only_the_marked_lines_of_a_fix_are_undone(tmp_path):
    folder = write_pair(tmp_path)
    fixed = folder / "reproducers/zz1_made/fixed.py"
    line = "    return numbers[:8]  # FIX: as many as there are\n"
    fixed.write_text(fixed.read_text().replace(line, f"    numbers = list(range(8))\n{line}"))
    undone = dict(fixed_mutants(folder, "FIX undone"))["the marked lines"]
    assert "numbers[:3]" in undone and "    numbers = list(range(8))" in undone


def test_each_changed_word_of_a_marked_line_is_put_back_alone(tmp_path):
    folder = write_pair(tmp_path, fixed="8 + 0", broken="3 + 1")
    undone = dict(fixed_mutants(folder, "FIX undone"))
    assert "numbers[:3 + 0]" in undone["8 for 3"] and "numbers[:8 + 1]" in undone["0 for 1"]


def test_a_number_with_a_point_is_one_word(tmp_path):
    folder = write_pair(tmp_path, fixed="int(8.0) + 0", broken="int(3.5) + 1")
    assert "numbers[:int(3.5) + 0]" in dict(fixed_mutants(folder, "FIX undone"))["8.0 for 3.5"]


def test_a_line_that_moved_is_not_taken_out(tmp_path):
    folder = write_pair(tmp_path)
    for name, lines in (
        ("broken", "    first = 1\n    second = 2\n"),
        ("fixed", "    second = 2  # FIX: now first\n    first = 1\n"),
    ):
        path = folder / f"reproducers/zz1_made/{name}.py"
        path.write_text(path.read_text().replace("    healthy", f"{lines}    healthy", 1))
    assert fixed_mutants(folder, "FIX removed") == []


LOOPS = '''
def rounds(numbers):
    """A text."""
    for number in numbers: print(number)
    return [number for number in numbers]


def more(numbers):
    while numbers:
        first = numbers.pop()
        last = {first: first for _ in [1]}
    return last


'''


def test_every_loop_is_emptied_at_once(tmp_path):
    ((_, emptied),) = fixed_mutants(write_pair(tmp_path, more=LOOPS), "work emptied")
    for line in (
        "for number in (): print(number)",
        "[number for number in ()]",
        "while False:",
        "{first: first for _ in ()}",
    ):
        assert line in emptied


@pytest.mark.parametrize(
    "line",
    [
        "    for number in numbers: __import__('os')._exit(3); print(number)",
        "    return [__import__('os')._exit(3) for number in numbers]",
        "    __import__('os')._exit(3)\n    while numbers:",
        "        __import__('os')._exit(3)\n        first = numbers.pop()",
        "        __import__('os')._exit(3)\n        last = {",
        "{first: __import__('os')._exit(3) for _ in [1]}",
        "    __import__('os')._exit(3)\n    return last",
    ],
)
def test_the_script_ends_where_a_loop_or_a_function_is_reached(tmp_path, line):
    found = fixed_mutants(write_pair(tmp_path, more=LOOPS), "never reached")
    assert any(line in source for _, source in found), line
