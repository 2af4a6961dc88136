"""Comments that silence findings."""

import pytest

from dpkb.ignore_comments import is_silenced


@pytest.mark.parametrize(
    ("line", "silenced"),
    [
        ("x = 1", set()),
        ("x = 1  # dpkb: ignore[DP1]", {"DP1"}),
        ("x  # dpkb: ignore[DP1, n3]", {"DP1", "N3"}),
        ("x  # noqa: E501  dpkb:ignore[o1]", {"O1"}),
        ("dpkb: ignore[DP1]", set()),
        ("x  # see dpkb", set()),
        ("x  # dpkb: ignore[DP1]: read once", {"DP1"}),
        ("x  # dpkb: ignore [DP1]", {"DP1"}),
        ("x  # dpkb: ignore [DP1", set()),
        ("x  # dpkb: ignored[DP1]", set()),
        ("x  # dpkb: ignore_all", set()),
        ("x  # dpkb: ignore[]", set()),
        ("x  # dpkb: ignore[DP1", set()),
        ("x  # dpkb: ignore[DP.1]", set()),
        ("x  # dpkb: ignore[dp-1]", {"DP1"}),
        ("x  # dpkb: ignore[N3]  # dpkb: ignore[T4]", {"N3", "T4"}),
        ("x = 1  # dpkb: ignore", {"DP1", "N3", "O1", "T4"}),
        ("# dpkb: ignore, since it is a test", {"DP1", "N3", "O1", "T4"}),
    ],
)
def test_a_comment_silences_the_ids_that_it_names_or_all(line, silenced):
    assert {entry_id for entry_id in ("DP1", "N3", "O1", "T4") if is_silenced(entry_id, line)} == silenced
