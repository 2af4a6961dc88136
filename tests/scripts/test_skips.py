"""The SKIPPED lines that a script may print, found in its text."""

import pytest

from dpkb.scripts.skips import find_skip_patterns


def test_a_skip_is_read_as_a_pattern():
    source = "if shm < 4:\n    print(f'SKIPPED /dev/shm is {shm} MB')\n    sys.exit(77)\n"
    (pattern,) = find_skip_patterns(source)
    assert pattern == r"SKIPPED\ /dev/shm\ is\ .*\ MB"


@pytest.mark.parametrize(
    "source",
    [
        "print('SKIPPED no')\n",
        "print('SKIPPED no')\nsys.exit(77)\n",
        "limit = 2\nif limit:\n    print('SKIPPED no')\n    sys.exit(77)\n",
        "if sys.argv:\n    print('SKIPPED no')\n    sys.exit(77)\n",
        "try:\n    work()\nexcept ValueError:\n    print('SKIPPED no')\n    sys.exit(77)\n",
        "if torch.cuda.is_available():\n    sys.exit(77)\n",
    ],
)
def test_a_skip_without_a_condition_or_a_reason_does_not_count(source):
    assert find_skip_patterns(source) == ()
