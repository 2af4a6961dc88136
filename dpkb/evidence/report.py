"""Summaries of recorded runs: for one entry, and for the whole catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dpkb.evidence.store import Evidence, State
from dpkb.model import Entry


@dataclass(frozen=True)
class Matrix:
    """The state of entries in recorded environments. rows: the id of an entry, and its state in each."""

    environments: tuple[Mapping[str, str | None], ...]
    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def summarize_runs(entry: Entry, evidence: Iterable[Evidence]) -> str:
    """One line: the versions that an entry was seen on, and the date of the last run. Empty without runs."""
    states = [(e, e.state_of(entry)) for e in evidence]
    seen = [e for e, state in states if state is State.CONFIRMED]
    absent = [e for e, state in states if state is State.NOT_AFFECTED]
    dates = [run.date for e in (*seen, *absent) for run in e.runs_of(entry)]
    if not dates:
        return ""
    clauses = [
        f"seen on torch {_list_versions(seen)}" if seen else "",
        f"absent on {_list_versions(absent)}" if absent else "",
    ]
    return f"{', '.join(filter(None, clauses))}; last run {max(dates)}"


def group_versions_by_state(entry: Entry, evidence: Iterable[Evidence]) -> dict[str, list[str]]:
    """State -> the versions of torch with that state, oldest first."""
    by_state: dict[str, list[Evidence]] = {}
    for e in evidence:
        if (state := e.state_of(entry)) is not State.NOT_RUN:
            by_state.setdefault(state.value, []).append(e)
    return {state: _list_torch_versions(shown) for state, shown in by_state.items()}


def select_broad(evidence: list[Evidence], entries: Iterable[Entry]) -> list[Evidence]:
    """The evidence that covers at least half as many entries as the best; the rest is for single claims."""
    counts = Counter(id(e) for entry in entries for e in evidence if e.state_of(entry) is not State.NOT_RUN)
    return [e for e in evidence if 2 * counts[id(e)] >= max(counts.values(), default=0)]


def build_matrix(entries: Iterable[Entry], evidence: Sequence[Evidence]) -> Matrix:
    """The state of these entries in each recorded environment."""
    return Matrix(
        tuple(e.environment for e in evidence),
        tuple(e.name for e in evidence),
        tuple((entry.id, tuple(e.state_of(entry).value for e in evidence)) for entry in entries),
    )


def _list_versions(evidence: list[Evidence]) -> str:
    """The versions of torch, and of the packages that --with chose."""
    chosen: dict[str, list[str]] = {}
    for name, version in dict.fromkeys(item for e in evidence for item in e.environment["packages"].items()):
        chosen.setdefault(name, []).append(version)
    packages = [f"with {name} {', '.join(versions)}" for name, versions in chosen.items()]
    return ", ".join([*_list_torch_versions(evidence), *packages])


def _list_torch_versions(evidence: list[Evidence]) -> list[str]:
    return list(dict.fromkeys(e.torch.split("+")[0] for e in evidence))
