"""Measures how often search and diagnose find the right entry for the reports in files.

    python -m bench.finding reports.jsonl ...          all reports of these files
    python -m bench.finding reports.jsonl --part 1/2   the reports whose id falls into this part
    python -m bench.finding reports.jsonl --new S8,D33 also the reports about these entries alone
    python -m bench.finding                            the questions in the entries instead, in five folds:
                                                       each fold is asked of an index without it

A report is one JSON object per line: id, query (may be null), log (may be null), expect (ids, or ["NONE"] if
nothing in the catalogue answers it), also (ids that are good answers too), lang. The last two may be missing.
Each share is printed with its 95 % interval.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from dpkb.catalogue.load import load
from dpkb.diagnosis.conclusion import diagnose
from dpkb.diagnosis.match import Signatures
from dpkb.model import Entry
from dpkb.paths import find_built_in_catalogue, find_catalogue_folders
from dpkb.search import store
from dpkb.search.build import build, list_entry_lines
from dpkb.search.rank import search

# What a report expects if no entry answers it.
NOTHING = ("NONE",)


@dataclass(frozen=True)
class Report:
    """A question or a log, and the entries that answer it."""

    id: str
    query: str | None
    log: str | None
    # The right ids, or NOTHING.
    expect: tuple[str, ...]
    # Ids that are good answers too.
    also: tuple[str, ...] = ()
    language: str = "?"

    @property
    def good(self) -> set[str]:
        """Every id that is a good answer."""
        return {*self.expect, *self.also}


def format_share(good: int, total: int) -> str:
    """A share with its 95 % Wilson interval."""
    if not total:
        return "   -"
    z, share = 1.96, good / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total**2)) / (1 + z * z / total)
    return f"{share:.3f} ({good}/{total}; {middle - half:.2f} to {middle + half:.2f})"


class PlainBm25:
    """The ranking of textbooks, over the same text as a single field. dpkb has to be better than this."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        texts = {
            e.id: re.findall(r"\w+", " ".join(t for _, t in list_entry_lines(e)).lower()) for e in entries
        }
        self.counts = {i: Counter(words) for i, words in texts.items()}
        self.lengths = {i: len(words) for i, words in texts.items()}
        self.mean = sum(self.lengths.values()) / len(self.lengths)
        self.entries_with = Counter(word for counts in self.counts.values() for word in counts)

    def rank(self, query: str) -> list[str]:
        words = set(re.findall(r"\w+", query.lower()))
        scores: dict[str, float] = {}
        for i, counts in self.counts.items():
            norm = 1.2 * (0.25 + 0.75 * self.lengths[i] / self.mean)
            scores[i] = sum(
                math.log(1 + (len(self.counts) - self.entries_with[w] + 0.5) / (self.entries_with[w] + 0.5))
                * counts[w]
                * 2.2
                / (counts[w] + norm)
                for w in words
                if w in counts
            )
        return sorted(scores, key=lambda i: -scores[i])


def read_reports(path: str, part: str | None) -> list[Report]:
    """The reports of a file. part: I/N, for those whose hash of the id falls into this part."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line]
    reports = [
        Report(
            row["id"],
            row["query"],
            row["log"],
            tuple(row["expect"]),
            tuple(row.get("also") or ()),
            row.get("lang") or "?",
        )
        for row in rows
    ]
    if part:
        index, count = map(int, part.split("/"))
        digest = {report.id: hashlib.sha1(report.id.encode()).digest()[0] // 16 for report in reports}
        reports = [report for report in reports if digest[report.id] % count == index - 1]
    return reports


def check_ranking(ranked: list[str], good: Collection[str]) -> tuple[bool, bool]:
    """Whether the first id is a good answer, and whether one of the first three is."""
    return bool(ranked) and ranked[0] in good, any(i in good for i in ranked[:3])


def print_own_questions(entries: list[Entry], folds: int = 5) -> None:
    """Print how often an entry is found by one of its questions, in an index without that question."""
    outcomes: dict[str, list[tuple[bool, bool]]] = {"dpkb search": [], "plain BM25": []}
    weak = 0
    for fold in range(folds):
        left_out = {(e.id, q) for e in entries for q in e.asked_as if _hash_text(q) % folds == fold}
        rest = [
            replace(entry, asked_as=tuple(q for q in entry.asked_as if (entry.id, q) not in left_out))
            for entry in entries
        ]
        with contextlib.closing(build(rest, {"unreadable": "0"}, None)) as connection:
            rankings: dict[str, Callable[[str], list[str]]] = {
                "dpkb search": lambda query: [hit.id for hit in search(connection, query, 3).hits],
                "plain BM25": PlainBm25(rest).rank,
            }
            weak += sum(search(connection, q, 3).weak for _, q in left_out)
            for name, rank in rankings.items():
                outcomes[name] += [check_ranking(rank(q), {i}) for i, q in sorted(left_out)]
    print(f"{len(outcomes['plain BM25'])} questions of {len(entries)} entries, in {folds} folds")
    for name, hits in outcomes.items():
        print(f"\n{name}")
        print(f"  right at 1   {format_share(sum(first for first, _ in hits), len(hits))}")
        print(f"  within 3     {format_share(sum(three for _, three in hits), len(hits))}")
        if name == "dpkb search":
            print(f"  called weak  {format_share(weak, len(hits))}")


def _hash_text(text: str) -> int:
    return int.from_bytes(hashlib.sha1(text.encode()).digest()[:4], "big")


def main() -> None:
    """Print the accuracies of search, of plain BM25 beside it, and of diagnose."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--part", help="I/N")
    parser.add_argument("--new", default="", help="ids, with commas between them")
    parser.add_argument("--team", action="store_true", help="with the nearest .dpkb/")
    options = parser.parse_args()
    folders = find_catalogue_folders() if options.team else [find_built_in_catalogue()]
    catalogue = load(folders)
    if not options.files:
        print_own_questions(list(catalogue))
        return
    reports = [report for path in options.files for report in read_reports(path, options.part)]
    known = {*catalogue.entries, "NONE"}
    print(
        f"{len(reports)} reports, {len(catalogue.entries)} entries; "
        f"{sum(not known.intersection(r.expect) for r in reports)} reports expect only entries that are "
        "not in this catalogue"
    )
    reports = [r for r in reports if known.intersection(r.expect)]
    asked = [(r, r.query) for r in reports if r.query]
    inside = [(r, query) for r, query in asked if r.expect != NOTHING]
    new = set(options.new.split(","))
    groups = {
        "about all entries": inside,
        "about new entries": [(r, query) for r, query in inside if new.intersection(r.expect)],
        "about the other entries": [(r, query) for r, query in inside if not new.intersection(r.expect)],
    }
    if not groups["about new entries"]:
        groups = {"": inside}
    plain = PlainBm25(catalogue)
    for group, questions in groups.items():
        results = [store.find_entries(folders, query, 10) for _, query in questions]
        ranked = [[hit.id for hit in result.hits] for result in results]
        print_ranking(
            f"dpkb search {group}", [(r, ids) for (r, _), ids in zip(questions, ranked, strict=True)]
        )
        for name, is_right in (("right", True), ("wrong", False)):
            weak = [
                result.weak
                for (report, _), result, ids in zip(questions, results, ranked, strict=True)
                if check_ranking(ids, report.good)[0] is is_right
            ]
            print(f"  weak if 1 is {name} {format_share(sum(weak), len(weak))}")
        print_ranking(f"plain BM25 {group}", [(r, plain.rank(query)) for r, query in questions])
    outside = [store.find_entries(folders, query, 3).weak for r, query in asked if r.expect == NOTHING]
    print("\ndpkb search where nothing fits")
    print(f"  called weak  {format_share(sum(outside), len(outside))}")
    firsts = [[hit.id for hit in store.find_entries(folders, query, 1).hits] for _, query in inside]
    print_groups([(r, check_ranking(ids, r.expect)[0]) for (r, _), ids in zip(inside, firsts, strict=True)])
    print_diagnoses(reports, catalogue)


def print_ranking(name: str, ranked: list[tuple[Report, list[str]]]) -> None:
    """Print how often the expected entry is first or in the first three; `or also` accepts the others."""
    print(f"\n{name}")
    for kind in ("", " or also"):
        hits = [check_ranking(ids, r.good if kind else r.expect) for r, ids in ranked]
        print(f"  right at 1{kind:8} {format_share(sum(first for first, _ in hits), len(hits))}")
        print(f"  within 3{kind:10} {format_share(sum(three for _, three in hits), len(hits))}")


def print_groups(outcomes: list[tuple[Report, bool]]) -> None:
    """Print how often the first hit of search is right, by language and by expected entry."""
    by_language: defaultdict[str, list[bool]] = defaultdict(list)
    by_id: defaultdict[str, list[bool]] = defaultdict(list)
    for report, first in outcomes:
        by_language[report.language].append(first)
        by_id[report.expect[0]].append(first)
    print("\ndpkb search, right at 1 by language and by id")
    for language, firsts in sorted(by_language.items()):
        print(f"  {language:12} {format_share(sum(firsts), len(firsts))}")
    print("  " + ", ".join(f"{i} {sum(f)}/{len(f)}" for i, f in sorted(by_id.items())))


def print_diagnoses(reports: list[Report], entries: Iterable[Entry]) -> None:
    """Print how often diagnose is right about the logs, and each report that it gets wrong."""
    signatures = Signatures(entries)
    counts: Counter[str] = Counter()
    wrong_lines: list[str] = []
    right_next_steps = 0
    for report in reports:
        if not report.log:
            continue
        diagnosis = diagnose(io.BytesIO(report.log.encode()), signatures)
        ids = [m.id for m in diagnosis.matches] or [i for hint in diagnosis.hints for i in hint.ids]
        if report.expect == NOTHING:
            is_silent = not ids or ids[0] in report.good
            outcome = "silent where nothing fits" if is_silent else "not silent"
        elif not ids:
            outcome = "no answer"
            right_next_steps += diagnosis.next_step is not None and diagnosis.next_step.id in report.good
        else:
            outcome = "right" if ids[0] in report.good else "wrong"
        counts[outcome] += 1
        if outcome in ("not silent", "no answer", "wrong"):
            wrong_lines.append(f"  {outcome}: {report.id}, expected {sorted(report.good)}, found {ids[:3]}")
    total = counts["right"] + counts["wrong"] + counts["no answer"]
    nothing = counts["silent where nothing fits"] + counts["not silent"]
    print("\ndpkb diagnose")
    print(f"  right        {format_share(counts['right'], total)}")
    print(f"  or the next step leads there {format_share(counts['right'] + right_next_steps, total)}")
    print(f"  wrong        {format_share(counts['wrong'], total)}")
    print(f"  silent where nothing fits {format_share(counts['silent where nothing fits'], nothing)}")
    print("\n".join(wrong_lines))


if __name__ == "__main__":
    main()
