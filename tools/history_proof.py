"""Imports and inspects what the history says, in environments of both sides of a border.

A border is a name or a parameter that one release has and the next has not, or the other way round. Some are drawn by
lot; uv creates an environment for each release, and what running shows there is compared with what was read.
"""

from __future__ import annotations

import collections
import json
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.history import State

# Run in the environment. Each question is [path, keyword or null]; the answers are "yes", "no" or a reason.
_PROGRAM = r"""
import ast, importlib, inspect, json, sys, textwrap, warnings
warnings.simplefilter("ignore")
def load(path):
    parts = path.split(".")
    for size in range(len(parts), 0, -1):
        module = ".".join(parts[:size])
        try:
            value = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name and (module + ".").startswith(error.name + "."):
                continue
            raise
        for part in parts[size:]:
            try:
                value = getattr(value, part)
            except AttributeError:
                return None
        return [value]
    return None
def is_expired(value):
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0].body
    except Exception:
        return False
    return inspect.isfunction(value) and [type(node) for node in body] == [ast.Raise]
answers = []
for path, keyword in json.load(sys.stdin):
    try:
        found = load(path)
        found = None if found and is_expired(found[0]) else found
        if keyword is None or found is None:
            answers.append("yes" if found else "no" if keyword is None else "not there")
            continue
        shown = inspect.signature(found[0]).parameters
        outside = inspect.signature(found[0], follow_wrapped=False).parameters
        kinds = [p.kind for p in outside.values()]
        if keyword in shown and shown[keyword].kind is not inspect.Parameter.POSITIONAL_ONLY:
            answers.append("yes")
        else:
            answers.append("may take it" if inspect.Parameter.VAR_KEYWORD in kinds else "no")
    except BaseException as error:
        answers.append("cannot tell: %s: %s" % (type(error).__name__, str(error)[:100]))
print("ANSWERS" + json.dumps(answers))
"""
_PER_PAIR = 40


@dataclass(frozen=True)
class Border:
    """What one release has and the release after it has not, or the other way round."""

    path: str
    keyword: str | None
    index: int
    before: bool


def find_borders(state: State) -> dict[int, list[Border]]:
    """All borders, by the index of the release before them."""
    found: dict[int, list[Border]] = collections.defaultdict(list)
    for key, row in state.rows.items():
        parent = state.rows.get(key.rpartition(".")[0], [])
        for i in range(len(row) - 1):
            before, after = row[i], row[i + 1]
            # What methods set on their object cannot be seen without an object.
            if parent and parent[i][:1] == "c" and "v" in (before[:1], after[:1]):
                continue
            for border in _compare(key, before, after, i):
                # A member of a class that comes or goes as a whole shows nothing new.
                if not parent or (
                    parent[i][:1] in "cm" and parent[i] and parent[i + 1][:1] in "cm" and parent[i + 1]
                ):
                    found[i].append(border)
    return found


def _compare(key: str, before: str, after: str, index: int) -> Iterator[Border]:
    if key.endswith(".__init__") or "" not in (before, after):
        if before[:2] == after[:2] == "f ":
            path = key.removesuffix(".__init__")
            for first, second, is_before in ((before, after, True), (after, before, False)):
                if "|" not in second and "**" not in second:
                    for name in sorted(_keywords(first) - _keywords(second)):
                        yield Border(path, name, index, is_before)
    elif bool(before) != bool(after) and (before or after)[:1] not in "?-r":
        yield Border(key, None, index, bool(before))


def _keywords(value: str) -> set[str]:
    return {name for name in re.findall(r"[A-Za-z_]\w*", value.partition("|")[0][2:]) if name != "args"}


def prove(states: list[State], count: int, seed: int) -> int:
    """Draw borders by lot and run them. Prints what was refuted; returns how many were."""
    draw = random.Random(seed)
    borders = {state.package: find_borders(state) for state in states}
    by_package = {state.package: state for state in states}
    pairs = [(package, index) for package, found in borders.items() for index in found]
    draw.shuffle(pairs)
    totals: collections.Counter[str] = collections.Counter()
    numbers: collections.Counter[tuple[str, str]] = collections.Counter()
    for package, index in pairs:
        if totals["confirmed"] + totals["refuted"] >= count:
            break
        found = borders[package][index]
        chosen = draw.sample(found, min(_PER_PAIR, len(found)))
        state = by_package[package]
        sides = [_ask(state, i, [[b.path, b.keyword] for b in chosen]) for i in (index, index + 1)]
        versions = state.versions[index : index + 2]
        for border, *answers in zip(chosen, *sides, strict=True):
            verdict = _judge(answers, ["yes", "no"] if border.before else ["no", "yes"])
            totals[verdict] += 1
            numbers[package, verdict] += 1
            if verdict != "confirmed":
                what = f"{package} {versions} {border.path} {border.keyword or ''}"
                print(f"{verdict}: {what}: {[answer[:100] for answer in answers]}", flush=True)
        print(f"{package} {versions}: {dict(totals)}", flush=True)
    decided = totals["confirmed"] + totals["refuted"]
    for (package, verdict), number in sorted(numbers.items()):
        print(f"{package}: {number} {verdict}")
    print(f"{totals['refuted']} of {decided} refuted; {totals['undecided']} could not be decided")
    return totals["refuted"]


def _judge(answers: list[str], expected: list[str]) -> str:
    if any(answer not in ("yes", "no", "may take it") for answer in answers):
        return "undecided"
    if "may take it" in answers:
        # The reader said "no", where running does not refute it only if the name is written in no wrapper.
        return "undecided"
    return "confirmed" if answers == expected else "refuted"


def _ask(state: State, index: int, questions: list[Any]) -> list[str]:
    """What running shows in an environment of one release."""
    release = state.releases[index]
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "env")
        python = environment / "bin" / "python"
        # DPKB_PROVE_BESIDE: site-packages with a torch that all releases use. Others are 5 GB each.
        beside = os.environ.get("DPKB_PROVE_BESIDE", "")
        excluded = Path(folder, "excluded")
        excluded.write_text("torch\ntriton\n" if beside else "")
        package = f"{state.package}=={release['version']}"
        install = ["uv", "pip", "install", "--quiet", "--python", str(python), "--excludes", str(excluded)]
        for command in (
            ["uv", "venv", "--quiet", "--python", _choose_python(release), str(environment)],
            [*install, "setuptools<81", package],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                return [f"cannot install: {done.stderr[-200:]}"] * len(questions)
        for site_packages in environment.glob("lib/python3*/site-packages"):
            (site_packages / "beside.pth").write_text(beside + "\n")
        done = subprocess.run(
            [str(python), "-c", _PROGRAM],
            input=json.dumps(questions),
            capture_output=True,
            text=True,
            cwd=folder,
            timeout=600,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("ANSWERS")]
        return list(json.loads(lines[-1][7:])) if lines else ["the import ended the process"] * len(questions)


def _choose_python(release: dict[str, Any]) -> str:
    if wanted := os.environ.get("DPKB_PROVE_PYTHON"):
        return wanted
    newest = int((release["newest"] or "3.11").partition(".")[2])
    return f"3.{max(8, min(newest, 12))}"
