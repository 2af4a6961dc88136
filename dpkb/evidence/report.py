"""What recorded runs show: of one entry, and over the whole catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from dpkb.catalogue.body import mentions
from dpkb.catalogue.parse import SCRIPT_NAME
from dpkb.evidence.store import Evidence, State
from dpkb.model import Entry


class EntryClaims(TypedDict):
    """How many claims an entry makes, how many have a script, how many were run, and which were not."""

    id: str
    claims: int
    scripts: int
    run: int
    not_run: list[str]


@dataclass(frozen=True)
class Matrix:
    """Entries against recorded environments. rows: the id of an entry, and its state in each of them."""

    environments: tuple[Mapping[str, str | None], ...]
    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def summarize_runs(entry: Entry, evidence: Iterable[Evidence]) -> str:
    """One line: the versions on which an entry was seen, and the last run's date. Empty if it was not run."""
    states = [(e, e.state(entry)) for e in evidence]
    seen = [e for e, state in states if state is State.CONFIRMED]
    absent = [e for e, state in states if state is State.NOT_AFFECTED]
    dates = [run.date for e in (*seen, *absent) for run in e.runs_of(entry)]
    if not dates:
        return ""
    clauses = [f"seen on torch {_versions(seen)}" if seen else "",
               f"absent on {_versions(absent)}" if absent else ""]
    return f"{', '.join(filter(None, clauses))}; last run {max(dates)}"


def versions_by_state(entry: Entry, evidence: Iterable[Evidence]) -> dict[str, list[str]]:
    """What the recorded runs show -> the versions of torch on which they show it, oldest first."""
    by_state: dict[str, list[Evidence]] = {}
    for e in evidence:
        if (state := e.state(entry)) is not State.NOT_RUN:
            by_state.setdefault(state.value, []).append(e)
    return {state: _version_list(shown) for state, shown in by_state.items()}


def select_broad(evidence: list[Evidence], entries: Iterable[Entry]) -> list[Evidence]:
    """The evidence that covers many entries; the rest was recorded to find where one claim ends."""
    counts = {id(e): sum(e.state(entry) is not State.NOT_RUN for entry in entries) for e in evidence}
    return [e for e in evidence if 2 * counts[id(e)] >= max(counts.values(), default=0)]


def matrix_of(entries: Iterable[Entry], evidence: Sequence[Evidence]) -> Matrix:
    """The state of these entries in each recorded environment."""
    return Matrix(tuple(e.environment for e in evidence), tuple(e.name for e in evidence),
                  tuple((entry.id, tuple(e.state(entry).value for e in evidence)) for entry in entries))


def claims(entry: Entry, evidence: Iterable[Evidence]) -> EntryClaims:
    """How many claims an entry's page makes, how many of them have a script, and which were run.

    A claim is a script that the page names; the failure and its fix always count.
    """
    mentioned = {name.removesuffix(".py") for s in entry.sections for name in mentions(s.text)[1]}
    # A page may also name files of the reader's, such as train.py.
    named = {name for name in mentioned if SCRIPT_NAME.fullmatch(name)}
    claimed = named | {"broken", "fixed"}
    have = [script for script in entry.scripts if script.path.is_file()]
    run = [s.name for s in have if any(e.run_of(s) is not None for e in evidence)]
    return {"id": entry.id, "claims": len(claimed), "scripts": len(have), "run": len(run),
            "not_run": [s.name for s in have if s.name not in run]}


def _versions(evidence: list[Evidence]) -> str:
    return ", ".join(_version_list(evidence))


def _version_list(evidence: list[Evidence]) -> list[str]:
    return list(dict.fromkeys(e.torch.split("+")[0] for e in evidence))
