"""What a log says for and against the entries that explain it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from dpkb.diagnosis.failures import Failure, Rank
from dpkb.model import Evidence
from dpkb.patterns import matching

# How much evidence counts for or against an entry.
FACTOR = 3.0
_COLLECTIVE = re.compile(r"SeqNum=(\d+), OpType=(\w+)(?:, NumelIn=(\d+))?")
_SHOWN_CHARACTERS = 160
# A collective: its sequence number, its operation, and the number of elements. NO_COLLECTIVE: it waits in none.
Work = tuple[int, str, str]
NO_COLLECTIVE = "no collective"


def find_evidence(evidence: Iterable[Evidence], text: str) -> Iterator[tuple[Evidence, str]]:
    """The evidence that one of these lines shows, with the sentence that says so."""
    for item in evidence:
        if found := matching.compile_pattern(f"(?m){item.match}").search(text):
            start = text.rfind("\n", 0, found.start()) + 1
            line = text[start : start + _SHOWN_CHARACTERS].split("\n")[0].strip()
            yield item, item.because or line


def read_works(failures: Iterable[Failure]) -> dict[Rank, Work]:
    """The collective of each rank, where its watchdog names it."""
    works: dict[Rank, Work] = {}
    for failure in failures:
        match = _COLLECTIVE.search(failure.text)
        if match and failure.rank is not None:
            works.setdefault(failure.rank, (int(match[1]), match[2], match[3] or "?"))
    return works


def compare_collectives(works: dict[Rank, Work]) -> Iterator[str]:
    """A sentence on how the collectives of at least two ranks differ."""
    numbers, operations, sizes = ({work[i] for work in works.values()} for i in range(3))
    if len(works) < 2:
        return
    shown = "; ".join(
        f"{list_ranks(ranks)} in {operation} of {size} element{'s' * (size != '1')} at SeqNum {number}"
        if operation != NO_COLLECTIVE
        else f"{list_ranks(ranks)} after SeqNum {number}"
        for (number, operation, size), ranks in sorted(
            _group(works), key=lambda row: (row[0][1] != NO_COLLECTIVE, len(row[1]))
        )
    )
    if NO_COLLECTIVE in operations:
        yield f"outside of any collective: {shown}"
    elif len(operations) > 1:
        yield f"the ranks run different collectives: {shown}"
    elif len(numbers) > 1:
        yield f"the ranks are at different collectives: {shown}"
    elif len(sizes) > 1:
        yield f"the ranks send different sizes: {shown}"
    else:
        yield f"all ranks wait in the same collective: {shown}"


def _group(works: dict[Rank, Work]) -> Iterable[tuple[Work, list[Rank]]]:
    ranks_of: defaultdict[Work, list[Rank]] = defaultdict(list)
    for rank, work in works.items():
        ranks_of[work].append(rank)
    return ranks_of.items()


def list_ranks(ranks: Iterable[Rank]) -> str:
    """Ranks in few words: "rank 2", "ranks 0-3, 7"."""
    ranks = list(ranks)
    numbers = sorted(rank for rank in ranks if isinstance(rank, int))
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    others = [rank for rank in ranks if isinstance(rank, str)]
    if others and not numbers and all(name.startswith("process ") for name in others):
        return f"process{'es' * (len(others) > 1)} {', '.join(name.split()[1] for name in others)}"
    names = ["-".join(map(str, part)) for part in parts] + others
    return f"rank{'s' if len(numbers) > 1 or len(names) > 1 else ''} {', '.join(names)}"
