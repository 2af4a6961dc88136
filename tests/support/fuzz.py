"""Gives many hostile inputs to everything that reads what others wrote.

    python -m tests.support.fuzz                        a million inputs, divided among all targets
    python -m tests.support.fuzz --inputs 50000 --only logs --seed 7

Each input is a real entry, question, log, script or file of evidence that was changed, or random characters.
A target makes an input and checks the answer. There is a finding if a check fails, if another exception is
raised, if an input takes more than ten seconds of CPU, or if text could control a terminal. It is printed
with the seed and the number that repeat it, once for each place in the code. The exit code is 1 if there was
a finding.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import json
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from dpkb.catalogue import frontmatter, parse
from dpkb.catalogue.body import find_mentions
from dpkb.diagnosis import conclusion
from dpkb.diagnosis import log as logs
from dpkb.diagnosis import match as diagnose
from dpkb.errors import DpkbError
from dpkb.evidence import report, store
from dpkb.output import diagnosis, search
from dpkb.patterns import matching
from dpkb.scripts import docstring, pair_rules, rules
from dpkb.search import build, rank, tokens
from dpkb.text import escape_controls, join_lines
from tests.support.corpus import CORPUS
from tests.support.mutations import (
    LOG_BITS,
    MARKDOWN_BITS,
    ODD,
    PATTERN_BITS,
    SCRIPT_BITS,
    YAML_BITS,
    make_random_text,
    mutate,
    mutate_tree,
)

MAX_SECONDS = 10
# How many of a thousand inputs each target gets: the faster it is, the more.
SHARES = {
    "terms": 420,
    "query": 20,
    "frontmatter": 310,
    "entry": 15,
    "patterns": 60,
    "logs": 155,
    "scripts": 12,
    "evidence": 8,
}


class Finding(AssertionError):
    """An answer that breaks a rule of its target."""


# -- targets: each creates its input and checks the rules of the answer -------------------------------


def require_plain(text: str) -> None:
    """Raise Finding if a text could move the cursor, set a title, or change the order of what is read."""
    if escape_controls(text) != text:
        raise Finding(f"text with control characters: {text!r:.300}")


def _make_question(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return make_random_text(rng, rng.choice((5, 60, 400)))
    return mutate(rng, rng.choice(CORPUS.questions), ODD + PATTERN_BITS, CORPUS.questions)


def fuzz_terms(rng: random.Random) -> tuple[str, Callable[[], None]]:
    text = _make_question(rng)

    def check() -> None:
        terms = tokens.split_question(text)
        if len(terms) > tokens.MAX_TERMS or any(not term or term != "".join(term.split()) for term in terms):
            raise Finding(f"terms {terms!r:.200}")
        require_plain(escape_controls(text))
        require_plain(join_lines(text, 60))

    return text, check


def fuzz_query(rng: random.Random) -> tuple[str, Callable[[], None]]:
    text = _make_question(rng)

    def check() -> None:
        result = rank.search(CORPUS.connection, text, 5)
        require_plain(search.render_search(text, result, False))
        json.dumps(search.search_fields(text, result))

    return text, check


def fuzz_frontmatter(rng: random.Random) -> tuple[str, Callable[[], None]]:
    # A few lines are enough to find bugs in the YAML reader.
    whole = rng.choice(CORPUS.fronts)
    start = rng.randrange(len(whole))
    front = (
        make_random_text(rng)
        if rng.random() < 0.2
        else mutate(rng, whole[start : start + rng.choice((60, 300))], YAML_BITS + ODD, CORPUS.fronts)
    )

    def check() -> None:
        try:
            tree = frontmatter.load(front)
        except frontmatter.FrontMatterError as error:
            if error.line < 1 or "\n" in str(error):
                raise Finding(f"line {error.line}: {error}") from error
            return
        for located in walk(tree):
            if not isinstance(located.value, dict | list | str | bool | None):
                frontmatter.kind_of(located.value)
            if isinstance(located.value, str):
                located.value.encode("utf-8")

    return front, check


def walk(tree: frontmatter.Located) -> Iterator[frontmatter.Located]:
    """Yield every value of a tree."""
    yield tree
    items = tree.value.values() if isinstance(tree.value, dict) else tree.value
    if isinstance(tree.value, dict | list):
        for item in items:
            yield from walk(item)


def fuzz_entry(rng: random.Random) -> tuple[str, Callable[[], None]]:
    choice = rng.random()
    number = rng.randrange(len(CORPUS.entries))
    search_text, claims = CORPUS.other_files[number]
    front, markdown, _ = frontmatter.split(CORPUS.entries[number])
    if choice < 0.5:
        tree = mutate_tree(rng, CORPUS.trees[number])
        front = yaml.dump(tree, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
    elif choice < 0.9:
        markdown = mutate(rng, markdown, MARKDOWN_BITS + ODD, CORPUS.entries)
    is_unchanged = 0.9 <= choice <= 0.97
    text = make_random_text(rng, 400) if choice > 0.97 else f"---\n{front}\n---\n{markdown}"

    def check() -> None:
        entry, problems = parse.parse_entry(text, Path("kb/x.md"), Path("reproducers/x"), search_text, claims)
        if (entry is None) != bool(problems):
            raise Finding(f"entry {entry!r:.80} with problems {problems!r:.200}")
        if problems and is_unchanged:
            raise Finding(f"a real entry with problems {problems!r:.200}")
        for problem in problems:
            require_plain(join_lines(problem.render("kb/x.md")))
        if entry is not None:
            for script in entry.scripts:
                if script.path.parent != Path("reproducers/x"):
                    raise Finding(f"a script outside of its folder: {script.path}")
            build.build([entry], {"unreadable": "0"}, None).close()
            for section in entry.sections:
                find_mentions(section.text)

    return text, check


def fuzz_patterns(rng: random.Random) -> tuple[str, Callable[[], None]]:
    real = rng.choice(CORPUS.patterns)[: rng.choice((10, 60, 400))]
    pattern = mutate(rng, real, PATTERN_BITS, CORPUS.patterns)
    line = mutate(rng, rng.choice(CORPUS.logs).decode()[:200], ODD, CORPUS.questions).replace("\n", " ")

    def check() -> None:
        try:
            matching.compile_pattern(pattern)
        except matching.BadPattern as error:
            if "\n" in join_lines(str(error)):
                raise Finding(str(error)) from error
            return
        together = [pattern, "Bus error"]
        exact, loose = matching.PatternSet(together), matching.PatternFilter(together)
        for text in (line, f"{line} Bus error"):
            seen = exact.matches(text)
            if (0 in seen) != matching.has_match(pattern, text) or (1 in seen) != ("Bus error" in text):
                raise Finding(f"together {seen}, alone {matching.has_match(pattern, text)}: {text!r}")
            if seen and loose.find(text.encode(), 0) is None:
                raise Finding(f"passed over: {text!r}")

    return pattern, check


def fuzz_logs(rng: random.Random) -> tuple[bytes, Callable[[], None]]:
    if rng.random() < 0.2:
        log = rng.randbytes(rng.randrange(600))
    else:
        parts = [rng.choice(CORPUS.logs) for _ in range(rng.choice((1, 1, 2, 5)))]
        log = mutate(rng, rng.choice((b"", b"\n", b"\r\n")).join(parts), LOG_BITS, CORPUS.logs)
    if rng.random() < 0.03:
        log = b"\xff\xfe" + log.decode("utf-8", "replace").encode("utf-16-le")

    def check() -> None:
        reader = diagnose.LogReader(CORPUS.signatures)
        blocks = list(logs.read_blocks(io.BytesIO(log)))
        for block in blocks:
            reader.read_block(block)
        diagnoser = conclusion.Diagnoser(CORPUS.signatures)
        diagnoser.add(reader.build_report())
        result = diagnoser.conclude()
        require_plain(diagnosis.render_diagnosis(result, CORPUS.catalogue, False))
        json.dumps(diagnosis.diagnosis_fields(result, CORPUS.catalogue))
        lines = b"".join(block.text for block in blocks).decode("utf-8", "replace").split("\n")
        for evidence in (e for match in result.matches for e in match.evidence):
            if not 1 <= evidence.line <= len(lines) or evidence.text not in lines[evidence.line - 1]:
                raise Finding(f"line {evidence.line} of the log does not have {evidence.text!r}")

    return log, check


def fuzz_scripts(rng: random.Random) -> tuple[str, Callable[[], None]]:
    script, source = rng.choice(CORPUS.scripts)
    text = mutate(rng, source, SCRIPT_BITS, [source])

    def check() -> None:
        for line, message in rules.find_script_problems(script, text):
            require_plain(join_lines(f"{line} {message}"))
        try:
            docstring.read_needs(text)
        except (docstring.BadDocstring, SyntaxError) as error:
            require_plain(join_lines(str(error)))
        pair_rules.find_pair_problems(source, text)

    return text, check


def fuzz_evidence(rng: random.Random) -> tuple[str, Callable[[], None]]:
    tree = mutate_tree(rng, rng.choice(CORPUS.evidence))
    text = json.dumps(tree)
    if rng.random() < 0.2:
        text = mutate(rng, text, ["{", "}", "[", '"', ",", "1e999", "NaN", "\\ud800", *ODD], [text])
    entry = CORPUS.catalogue.find_entry("DP1")

    def check() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, store.EVIDENCE_FOLDER, "x.json")
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8", errors="replace")
            try:
                evidence = store.load(Path(folder))
                require_plain(escape_controls(report.summarize_runs(entry, evidence)))
                report.select_broad(evidence, [entry])
            except DpkbError as error:
                if str(path) not in str(error):
                    raise Finding(f"no file is named: {error}") from error

    return text, check


TARGETS = {name: globals()[f"fuzz_{name}"] for name in SHARES}


# -- running ----------------------------------------------------------------------------------------


@dataclass
class Tally:
    """The numbers of one target."""

    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    findings: int = 0


def run_target(
    name: str,
    inputs: int,
    seed: int,
    print_finding: Callable[[str], None] = print,
    max_wall_seconds: float | None = None,
) -> Tally:
    """Give a target this many inputs, and print every finding with the seed that repeats it.

    max_wall_seconds: the process is ended if one input takes longer.
    """
    tally = Tally()
    # Read what the target needs before the clock starts.
    TARGETS[name](random.Random(seed))[1]()
    started = time.perf_counter()
    printed: set[str] = set()
    for number in range(inputs):
        made, check = TARGETS[name](random.Random(f"{seed} {name} {number}"))
        before = time.perf_counter()
        if max_wall_seconds:
            # Nothing else can end a hang inside C code. It prints where the code hangs.
            faulthandler.dump_traceback_later(max_wall_seconds, exit=True)
        try:
            with CpuLimit(MAX_SECONDS):
                check()
        except Exception as error:
            tally.findings += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            if kind not in printed:
                printed.add(kind)
                print_finding(
                    f"{name} seed {seed} number {number}: {kind}: {str(error)[:300]}\n  input {made!r:.400}"
                )
        tally.slowest = max(tally.slowest, time.perf_counter() - before)
        tally.inputs += 1
    faulthandler.cancel_dump_traceback_later()
    tally.seconds = time.perf_counter() - started
    return tally


class CpuLimit:
    """Raises Finding if the block takes more seconds of CPU than the limit. Waiting does not count."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        def raise_finding(*_) -> None:
            raise Finding(f"more than {self.seconds} s of CPU")

        self.before = signal.signal(signal.SIGPROF, raise_finding)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self.before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(TARGETS), action="append")
    options = parser.parse_args()
    names = options.only or list(TARGETS)
    total = sum(SHARES[name] for name in names)
    tallies = {}
    for name in names:
        tallies[name] = tally = run_target(
            name, options.inputs * SHARES[name] // total, options.seed, max_wall_seconds=60 * MAX_SECONDS
        )
        print(
            f"{name:<12} {tally.inputs:>9,} inputs  {tally.inputs / tally.seconds:>8,.0f} a second  "
            f"slowest {1000 * tally.slowest:>7,.1f} ms  {tally.findings} findings",
            flush=True,
        )
    findings = sum(tally.findings for tally in tallies.values())
    print(f"{'all':<12} {sum(tally.inputs for tally in tallies.values()):>9,} inputs  {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
