"""Merges evidence that several machines recorded into that of the catalogue.

    python -m tools.merge_evidence [--kb DIR] DIR…

The newest run of each script is kept. If several are of the same day, that of the last folder is kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from dpkb.errors import DpkbError
from dpkb.evidence import store
from dpkb.paths import find_built_in_catalogue


def merge(shards: Iterable[store.Evidence], folder: Path) -> list[Path]:
    """Merge evidence from other folders into that of a catalogue. Returns the files that were written."""
    with store.locked(folder):
        by_key: dict[tuple[str, ...], list[store.Evidence]] = {}
        for shard in shards:
            by_key.setdefault(shard.key, []).append(shard)
        written = []
        for same in by_key.values():
            path, recorded = store.find_recorded(store.Evidence(same[0].environment, {}), folder)
            runs = dict(recorded.scripts)
            for key, run in (item for shard in same for item in shard.scripts.items()):
                if key not in runs or run.date >= runs[key].date:
                    runs[key] = run
            written.append(store.write(store.Evidence(recorded.environment, runs), path))
        return written


def main(arguments: Sequence[str] | None = None) -> None:
    """Merge the evidence in the folders that the command line names, and print the files that were written."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.merge_evidence", description=__doc__.splitlines()[0]
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="evidence from elsewhere")
    parser.add_argument("--kb", type=Path, metavar="DIR", default=find_built_in_catalogue())
    options = parser.parse_args(arguments)
    found = [sorted(folder.rglob("*.json")) for folder in options.folders]
    for folder, files in zip(options.folders, found, strict=True):
        if not files:
            parser.error(f"no evidence in {folder}: record it with `dpkb verify --record`")
    try:
        written = merge([store.read(file) for files in found for file in files], options.kb)
    except DpkbError as error:
        parser.error(str(error))
    print(*written, sep="\n")


if __name__ == "__main__":
    main()
