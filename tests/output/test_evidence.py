"""The recorded runs, as tables and as JSON."""

import pytest

from dpkb.evidence.report import Matrix
from dpkb.output.evidence import matrix_fields, render_matrix

STATES = ("confirmed", "not affected", "refuted", "not run")


def matrix_of(*versions):
    environments = [
        {"torch": torch, "torchvision": None, "python": "3.11.7", "os": "linux", "device": "cpu"}
        for torch in versions
    ]
    states = tuple(STATES[n % 4] for n in range(len(versions)))
    return Matrix(
        tuple(environments),
        tuple(f"{torch}-3.11.7-linux-cpu" for torch in versions),
        (("ZZ1", states), ("ZZ2", states[::-1])),
    )


def words(text):
    return [line.split() for line in text.splitlines() if line.strip()]


def test_each_state_has_its_mark():
    assert words(render_matrix(matrix_of("1.8.1", "2.0.1", "2.4.1", "2.15.0"))) == [
        ["1.8.1", "2.0.1", "2.4.1", "2.15.0"],
        ["py3.11"] * 4,
        ["ZZ1", "✓", "–", "✗", "·"],
        ["ZZ2", "·", "✗", "–", "✓"],
        ["✓", "confirmed", "–", "not", "affected", "✗", "refuted", "·", "not", "run"],
    ]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_narrow_window_has_several_tables_and_every_version(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    versions = [f"2.{n}.0" for n in range(12)]
    shown = render_matrix(matrix_of(*versions))
    assert [word for word in shown.split() if word.startswith("2.")] == versions
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= width


def test_without_evidence_the_entries_are_still_there():
    assert [line[0] for line in words(render_matrix(matrix_of()))[:2]] == ["ZZ1", "ZZ2"]


def test_the_matrix_as_json():
    matrix = matrix_of("2.0.1", "2.4.1+cu121")
    assert matrix_fields(matrix)["entries"]["ZZ2"] == {
        "2.0.1-3.11.7-linux-cpu": "not affected",
        "2.4.1+cu121-3.11.7-linux-cpu": "confirmed",
    }
