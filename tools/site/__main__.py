"""Writes the pages of the documentation site, from which `mkdocs build` builds it.

    python -m tools.site [--out DIR] [--kb DIR…]

Nothing is written if `dpkb check` finds problems in the catalogue.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpkb.catalogue.check import check
from dpkb.catalogue.load import load
from dpkb.errors import DpkbError
from dpkb.evidence import store
from dpkb.paths import find_catalogue_folders
from tools.site import pages


def main() -> None:
    """Write the pages, or say why they cannot be written."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=Path("build/pages"), help="is emptied first"
    )
    parser.add_argument("--kb", type=Path, metavar="DIR", action="append", help="adds a catalogue")
    options = parser.parse_args()
    try:
        catalogue = load(find_catalogue_folders(options.kb))
        if problems := check(catalogue, catalogue.folders):
            lines = [problem.render(str(problem.path)) for problem in problems]
            sys.exit("\n".join([*lines, "no page was written: fix these problems first"]))
        count = pages.write(catalogue, store.load(*catalogue.folders), options.out)
    except DpkbError as error:
        parser.error(str(error))
    print(f"{count} entries written to {options.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
