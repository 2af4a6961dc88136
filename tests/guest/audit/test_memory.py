"""The memory of values and processes."""

import multiprocessing

import pytest
from dpkb_audit.memory import bytes_of, is_private, was_forked

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (torch.zeros(10), 40),
        (b"abc", 3),
        (["abc"] * 1000, 3000),
        ({"a": torch.zeros(2), "b": "xx"}, 10),
        ([], 0),
        (7, 0),
        (None, 0),
    ],
)
def test_the_bytes_of_values(value, size):
    assert bytes_of(value) == size


def test_shared_and_mapped_memory_is_not_private(tmp_path):
    numpy = pytest.importorskip("numpy")
    assert is_private(torch.zeros(2)) and not is_private(torch.zeros(2).share_memory_())
    mapped = numpy.memmap(tmp_path / "file", dtype="uint8", mode="w+", shape=(8,))
    assert is_private(numpy.zeros(8)) and not is_private(mapped) and not is_private(numpy.asarray(mapped)[2:])


def test_how_a_process_was_started():
    assert was_forked(multiprocessing.get_context("fork").Process())
    assert not was_forked(multiprocessing.get_context("spawn").Process())
