"""The outputs of a command reach their reader, and are kept for the diagnosis."""

import contextlib
import os
import sys
from types import SimpleNamespace

import pytest

from dpkb.relay import channels
from dpkb.relay.channels import HeadAndTail, StreamChannel, open_channels

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="outputs are compared through /proc")


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_the_beginning_and_the_end_of_an_output_are_kept(size):
    text = bytes(range(48, 48 + 60))
    capture = HeadAndTail(head=10, tail=20)
    for start in range(0, len(text), size):
        capture.add(text[start : start + size])
    kept = capture.join_parts()
    assert kept.startswith(text[:10])
    head, _, tail = kept.partition(b"\n")
    assert bool(capture.dropped_bytes) is (size < 30)
    if capture.dropped_bytes:
        assert head == text[:10] and text.endswith(tail) and len(tail) >= 20
        assert len(tail) < 20 + size, "no more than one chunk too much"
    else:
        assert kept == text
    assert len(head) + len(tail) + capture.dropped_bytes == len(text)


def test_a_short_output_is_kept_as_it_is():
    capture = HeadAndTail(head=4, tail=4)
    for chunk in (b"ab", b"", b"cdef"):
        capture.add(chunk)
    assert capture.join_parts() == b"abcdef" and not capture.dropped_bytes


@pytest.fixture
def pipe():
    """pipe() -> both ends of a new pipe, which are closed after the test."""
    with contextlib.ExitStack() as stack:

        def make():
            return [
                stack.enter_context(open(end, mode, buffering=0))
                for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True)
            ]

        yield make


@pytest.fixture
def stream(pipe):
    """A channel between two pipes: (the channel, where the command writes, where the reader reads)."""
    (source, command), (reader, target) = pipe(), pipe()
    return StreamChannel((target.fileno(),), source.fileno(), command.fileno()), command, reader


def test_the_output_of_a_stream_is_passed_on_and_kept(stream):
    channel, command, reader = stream
    command.write(b"one")
    assert channel.pass_on() and reader.read(100) == b"one"
    command.close()
    assert not channel.pass_on(), "nothing more will come"
    assert (channel.read_content(), channel.measure_activity(), channel.reader_gone) == (b"one", 3, False)


def test_a_stream_without_a_reader_ends_and_keeps_the_last_output(stream):
    channel, command, reader = stream
    reader.close()
    command.write(b"one")
    assert not channel.pass_on()
    assert channel.reader_gone and channel.read_content() == b"one"


def test_a_write_waits_until_a_full_pipe_has_room(stream, monkeypatch):
    """Also if another process has made the pipe non-blocking."""
    channel, command, reader = stream
    (target,) = channel.fds
    received, size = bytearray(), 0
    monkeypatch.setattr(
        channels, "select", SimpleNamespace(select=lambda *_: received.extend(reader.read(1 << 20)))
    )
    os.set_blocking(target, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            size += os.write(target, b"x" * 4096)
    command.write(b"one")
    assert channel.pass_on() and len(received) == size
    assert reader.read(100) == b"one"


@on_linux
def test_a_full_disk_ends_a_stream(pipe):
    source, command = pipe()
    command.write(b"one")
    with open("/dev/full", "wb") as full:
        channel = StreamChannel((full.fileno(),), source.fileno(), command.fileno())
        assert not channel.pass_on() and not channel.reader_gone


@contextlib.contextmanager
def outputs(*files):
    """Standard output and standard error of this process are these files while the block runs."""
    kept = [os.dup(fd) for fd in (1, 2)]
    try:
        for fd, file in zip((1, 2), files, strict=True):
            os.dup2(file.fileno(), fd)
        yield
    finally:
        for fd, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, fd)
            os.close(copy)


@on_linux
@pytest.mark.parametrize(
    ("out", "err", "expected"),
    [("pipe", "pipe", [(1, 2)]), ("pipe", "file", [(1,), (2,)]), ("pipe", "other pipe", [(1,), (2,)])],
)
def test_outputs_that_are_the_same_share_a_channel(pipe, tmp_path, out, err, expected):
    with open(tmp_path / "log", "wb") as log:
        kinds = {"pipe": pipe()[1], "other pipe": pipe()[1], "file": log}
        with outputs(kinds[out], kinds[err]):
            opened = open_channels()
    assert [stream.fds for stream in opened] == expected
    for stream in opened:
        os.close(stream.source)
        os.close(stream.child_end)
