"""A text as `dpkb diagnose` reads it, with the signatures of the catalogue compiled once."""

from __future__ import annotations

import io
from functools import cache

from dpkb.diagnosis.match import Diagnosis, Match, Signatures, diagnose
from support.corpus import CORPUS


@cache
def _signatures() -> Signatures:
    return Signatures(CORPUS.catalogue)


def diagnosis_of(log: str | bytes) -> Diagnosis:
    """The diagnosis of a log."""
    return diagnose(io.BytesIO(log if isinstance(log, bytes) else log.encode()), _signatures())


def matches_of(log: str | bytes) -> tuple[Match, ...]:
    """The entries that explain a log, best first."""
    return diagnosis_of(log).matches
