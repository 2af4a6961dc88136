"""dpkb with a small catalogue instead of the real one, as a program.

Most commands spend most of their time on reading the 116 entries of the real catalogue.

    python tests/support/small_dpkb.py FOLDER COMMAND ...
"""

import sys
from pathlib import Path

from dpkb import paths


def small_dpkb(folder):
    """The start of such a command line. No word of it has a space, so that a shell can split it."""
    assert " " not in str(folder)
    return [sys.executable, __file__, str(folder)]


if __name__ == "__main__":
    folder = Path(sys.argv.pop(1))
    # Replaced before other modules import it by its name.
    paths.built_in_catalogue = lambda: folder
    from dpkb.cli.main import main

    main()
