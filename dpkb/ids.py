"""What an entry's id says: its family, and its place in the catalogue. A search imports this."""

from __future__ import annotations

# The entries that say what to collect if a log or a symptom is not enough.
TRIAGE_FAMILY = "Q"


def family_of(entry_id: str) -> str:
    """The letters of an id: DP of DP15."""
    return entry_id.rstrip("0123456789")


def order_of(entry_id: str) -> tuple[str, int]:
    """A key that sorts ids: families together, numbers in order."""
    family = family_of(entry_id)
    return family, int(entry_id[len(family):])


def is_triage(entry_id: str) -> bool:
    """Whether an entry leads to others. Where one of those fits as well, it comes first."""
    return family_of(entry_id) == TRIAGE_FAMILY
