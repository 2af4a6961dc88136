"""What the kernel knows of the time of processes."""

import os
import sys
import time

import pytest
from dpkb_audit.cpu_times import count_cores, measure_cpu_times

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")


@needs_linux
def test_computing_is_counted_and_waiting_is_not():
    own = (os.getpid(),)
    before = measure_cpu_times(own)
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        pass
    computed = measure_cpu_times(own)[0] - before[0]
    assert computed > 0.2
    idle = measure_cpu_times(own)[0]
    time.sleep(0.3)
    assert measure_cpu_times(own)[0] - idle < 0.1


@needs_linux
def test_several_processes_are_added_up():
    one, two = measure_cpu_times((os.getpid(),)), measure_cpu_times((os.getpid(), os.getpid()))
    assert two[0] >= 2 * one[0] and two[1] >= 2 * one[1] and measure_cpu_times(()) == (0.0, 0.0)


def test_the_times_are_unknown_if_a_process_has_ended():
    assert measure_cpu_times((os.getpid(), 2**22 + 1)) is None
    assert 1 <= count_cores() <= (os.cpu_count() or 1)
