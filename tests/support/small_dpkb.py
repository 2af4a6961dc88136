"""Runs dpkb with a small catalogue instead of the real one.

Most commands spend most of their time on reading all entries of the real catalogue.

    python tests/support/small_dpkb.py FOLDER COMMAND ...
"""

import sys
from pathlib import Path

from dpkb import paths


def small_dpkb(folder):
    """The first words of such a command line. None contains a space, so that a shell can split it."""
    assert " " not in str(folder)
    return [sys.executable, __file__, str(folder)]


if __name__ == "__main__":
    folder = Path(sys.argv.pop(1))
    # Other modules import this function by its name, so it is replaced before.
    paths.find_built_in_catalogue = lambda: folder
    from dpkb.cli.main import main

    main()
