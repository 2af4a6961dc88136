"""The checks that compare the order of operations between ranks. The check of D9 notes the facts for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import Check
from dpkb_audit.facts import Fact
from dpkb_audit.rank_differences import find_differences


class OrderCheck(Check):
    """Reports those differences between the ranks that belong to its entry."""

    facts_of = "D9"

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        for difference in find_differences(facts):
            if difference.entry == cls.__name__:
                yield cls.finding(
                    difference.certainty, difference.message, where=difference.where, **difference.evidence
                )
