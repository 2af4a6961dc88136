"""Diagnoses texts as `dpkb diagnose` does, and compiles the signatures of the catalogue only once."""

from __future__ import annotations

import io
from functools import cache

from dpkb.diagnosis.conclusion import Diagnosis, Match, diagnose
from dpkb.diagnosis.match import Signatures
from support.corpus import CORPUS


@cache
def _signatures() -> Signatures:
    return Signatures(CORPUS.catalogue)


def diagnose_text(log: str | bytes) -> Diagnosis:
    """The diagnosis of a log."""
    return diagnose(io.BytesIO(log if isinstance(log, bytes) else log.encode()), _signatures())


def find_matches(log: str | bytes) -> tuple[Match, ...]:
    """The entries that explain a log, the best first."""
    return diagnose_text(log).matches
