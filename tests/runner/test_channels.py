"""How much of a long output is kept for the diagnosis."""

import pytest

from dpkb.runner.channels import Capture


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_the_beginning_and_the_end_of_an_output_are_kept(size):
    text = bytes(range(48, 48 + 60))
    capture = Capture(head=10, tail=20)
    for start in range(0, len(text), size):
        capture.add(text[start:start + size])
    kept = capture.content()
    assert kept.startswith(text[:10])
    head, _, tail = kept.partition(b"\n")
    if capture.left_out:
        assert head == text[:10] and text.endswith(tail) and len(tail) >= 20
        assert len(tail) < 20 + size, "no more than one chunk too much"
    else:
        assert kept == text
    assert len(head) + len(tail) + capture.left_out == len(text)


def test_a_short_output_is_kept_as_it_is():
    capture = Capture(head=4, tail=4)
    for chunk in (b"ab", b"", b"cdef"):
        capture.add(chunk)
    assert capture.content() == b"abcdef" and not capture.left_out
