"""Merges evidence that several machines recorded into that of the catalogue.

    python -m tools.merge_evidence [--kb DIR] DIR…

The newest run of each script is kept. If several are of the same day, that of the last folder is kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from dpkb.errors import DpkbError
from dpkb.evidence import store
from dpkb.paths import find_built_in_catalogue


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
        written = store.merge([store.read(file) for files in found for file in files], options.kb)
    except DpkbError as error:
        parser.error(str(error))
    print(*written, sep="\n")


if __name__ == "__main__":
    main()
