"""Compares the time of `dpkb search "bus error"` with that of an empty typer program, as whole processes.

    python -m bench.search                    the catalogue of dpkb
    python -m bench.search --entries 100000   with so many generated entries added to it

The two programs run in turn, A B A B, with compiled bytecode; each pair gives a ratio. The cold search, which
reads the catalogue and builds the index, is reported separately.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path

from bench.timing import time_process

EMPTY = """import typer

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def search(words: list[str]):
    print("nothing")


@app.command()
def show(name: str):
    print(name)


app()
"""

ENTRY = """---
id: {family}{number}
title: {title}
summary: {summary}
kind: raises
affects: {{torch: ">=1.8"}}
see_also: []
confused_with: []
sources:
  - title: a source
    url: https://example.org/
scripts:
  broken:
    claim: it fails
    shows: wrong-result
  fixed:
    claim: it works
---

## In short

{text[0]}

## Symptom

{text[1]}

## Fix

{text[2]}

## How to check your own code

{text[3]}

## Why it happens

{text[4]}
"""
WORDS = """keywords: [{keywords}]
asked_as:
  - {asked[0]}
  - {asked[1]}
  - {asked[2]}
signatures: []
"""
KNOWN = (
    "error worker loader batch rank epoch memory bus signal killed shared tensor sampler shuffle seed "
    "cuda gradient loss step hang timeout pickle spawn fork collate pin cache size shape dtype"
).split()


def write_entries(folder: Path, count: int) -> None:
    """Write entries whose words are distributed like those of a language: few are frequent (Zipf)."""
    (folder / "kb").mkdir(parents=True)
    (folder / "reproducers").mkdir()
    draw = random.Random(0)
    invented = ["".join(draw.choices("abcdefghiklmnoprstuvwy", k=draw.randint(4, 9))) for _ in range(30_000)]
    words = KNOWN + invented
    shares = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(words))))

    def draw_words(least: int, most: int) -> str:
        return " ".join(draw.choices(words, cum_weights=shares, k=draw.randint(least, most)))

    for number in range(count):
        family = chr(65 + number // 900 // 26) + chr(65 + number // 900 % 26)
        text = ENTRY.format(
            family=f"Z{family}",
            number=number % 900 + 1,
            title=draw_words(4, 9),
            summary=draw_words(8, 16),
            text=[draw_words(20, 60) for _ in range(5)],
        )
        search_words = WORDS.format(
            keywords=", ".join(draw_words(1, 1) for _ in range(6)),
            asked=[draw_words(4, 10) for _ in range(3)],
        )
        (folder / "kb" / f"z{number:06}_made.md").write_text(text, encoding="utf-8")
        (folder / "kb" / f"z{number:06}_made.search.yaml").write_text(search_words, encoding="utf-8")


def main() -> None:
    """Print the time of the cold search, then those of warm searches and of the empty program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=0, help="generated entries to add")
    parser.add_argument("--runs", type=int, default=31)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dpkb-bench-") as place:
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env |= {"DPKB_CACHE_DIR": f"{place}/cache", "PYTHONPYCACHEPREFIX": f"{place}/bytecode"}
        Path(place, "empty.py").write_text(EMPTY)
        dpkb = Path(place, "program.py")
        dpkb.write_text("from dpkb.cli.main import main\n\nmain()\n")
        search = [sys.executable, str(dpkb), "search", "bus error"]
        if options.entries:
            write_entries(Path(place, "many"), options.entries)
            search += ["--kb", f"{place}/many"]
        empty = [sys.executable, f"{place}/empty.py", "search", "bus error"]
        env["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
        time_process([*search[:2], "list"], env, place)  # compiles the bytecode
        cold = time_process(search, env, place).wall
        time_process(empty, env, place)
        pairs = [
            (time_process(search, env, place), time_process(empty, env, place)) for _ in range(options.runs)
        ]
    print(f"python {sys.version.split()[0]}, {options.entries} generated entries, {options.runs} pairs")
    print(f"cold (reads the catalogue, builds the index): {cold:.2f} s")
    for name in ("wall", "cpu"):
        times = [(getattr(ours, name), getattr(bare, name)) for ours, bare in pairs]
        ratios = sorted(ours / bare for ours, bare in times)
        ours, bare = (statistics.median(column) for column in zip(*times, strict=True))
        print(
            f"{name}: search {ours * 1000:.0f} ms, empty typer program {bare * 1000:.0f} ms, "
            f"ratio median {statistics.median(ratios):.2f} "
            f"(min {ratios[0]:.2f}, max {ratios[-1]:.2f})"
        )


if __name__ == "__main__":
    main()
