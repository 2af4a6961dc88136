"""The entries that a line of a log points to: of one signature, the likeliest first. Search and diagnose rank by this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from dpkb.model import Entry, LinePattern, VersionRange
from dpkb.patterns import matching

# How much a matching signature adds to the score of an entry; entries with the same signature share it.
# A recorded message counts least: with more, it came before entries that share a signature, on recorded logs.
STRONG_SCORE, WEAK_SCORE, RECORDED_SCORE = 10.0, 2.0, 0.25


def group_owner_ids(entries: Iterable[Entry]) -> dict[LinePattern, list[str]]:
    """Signature -> the ids of the entries that have it, so that a shared one is looked for only once.

    The likeliest entry comes first: its title quotes the message or has most of its words, or else most of
    the others are confused with it.
    """
    entries = list(entries)
    owners: dict[LinePattern, list[Entry]] = {}
    for entry in entries:
        for signature in entry.line_patterns:
            owners.setdefault(replace(signature, range=VersionRange()), []).append(entry)
    confused = Counter(similar.id for entry in entries for similar in entry.confused_with)

    def rank(signature: LinePattern, entry: Entry) -> tuple[bool, int, int, str]:
        words = set(signature.words.lower().split()).intersection(entry.title.lower().split())
        quotes = matching.has_match(signature.match, entry.title)
        return not quotes, -len(words), -confused[entry.id], entry.title

    return {
        # Hundreds of patterns have one owner, and are not compiled for it.
        signature: [e.id for e in (sorted(found, key=partial(rank, signature)) if found[1:] else found)]
        for signature, found in owners.items()
    }


def score_of(signature: LinePattern) -> float:
    """How much a match adds to the score of an entry; the owners of the signature share it."""
    return WEAK_SCORE if signature.weak else RECORDED_SCORE if signature.is_recorded else STRONG_SCORE
