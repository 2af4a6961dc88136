"""Prints the ids of one shard of the entries, to spread `dpkb verify` over machines.

dpkb verify $(python -m tools.shard 1/4)
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from dpkb.catalogue.load import Catalogue, load, read_reproducer
from dpkb.paths import find_catalogue_folders


def select_shard(catalogue: Catalogue, index: int, count: int) -> list[str]:
    """The entries of shard `index` (from 1) of `count`. Each shard has entries that take long, and others."""
    seconds = {
        entry.id: sum(read_reproducer(script).needs.about_seconds for script in entry.scripts)
        for entry in catalogue
        if not entry.withdrawn
    }
    return sorted(seconds, key=lambda entry_id: -seconds[entry_id])[index - 1 :: count]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the ids on one line."""
    parser = argparse.ArgumentParser(prog="python -m tools.shard", description=__doc__.splitlines()[0])
    parser.add_argument("shard", metavar="I/N", help="such as 1/4 for the first of four shards")
    options = parser.parse_args(arguments)
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", options.shard)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        parser.error(f"{options.shard}: must be I/N, such as 1/4 for the first of four shards")
    print(*select_shard(load(find_catalogue_folders()), int(found[1]), int(found[2])))


if __name__ == "__main__":
    main()
