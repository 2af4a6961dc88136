"""An entry's id: its family and its place in the catalogue. Imports nothing, so a search starts fast."""

from __future__ import annotations

# The family of entries that say which logs to collect when the cause is unclear.
TRIAGE_FAMILY = "Q"


def normalize_id(name: str) -> str:
    """An id as entries write it: DP15 for dp15, dp-15 and "DP 15"."""
    letters = name.rstrip("0123456789")
    return (letters.rstrip("-_ ") + name[len(letters) :]).upper()


def family_of(entry_id: str) -> str:
    """The letters of an id: DP of DP15."""
    return entry_id.rstrip("0123456789")


def order_of(entry_id: str) -> tuple[str, int]:
    """A key that sorts ids: families together, numbers in order."""
    family = family_of(entry_id)
    return family, int(entry_id[len(family) :])


def is_triage(entry_id: str) -> bool:
    """Whether an entry helps to find the right entry. Any other entry that fits as well ranks above it."""
    return family_of(entry_id) == TRIAGE_FAMILY
