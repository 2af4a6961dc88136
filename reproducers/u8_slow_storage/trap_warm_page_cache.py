"""U8: every epoch reads the samples from slow storage, one round trip for each file.

On a network share or an object store a small file costs a round trip, however few bytes it has,
and every epoch asks for every file again. Staging copies the data once to a disk of the machine,
in a few large pieces, before training starts.

Symptom: a speed test of the disk shows many times the speed that training gets
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_warm_page_cache.py
"""
import json
import os
import sys
import tempfile
import time

if not hasattr(os, "posix_fadvise"):
    print("SKIPPED needs os.posix_fadvise, so Linux")
    sys.exit(77)

num_files, file_bytes = 100, 128 * 1024


def read_all(folder):
    """Seconds for reading every file once: a real read."""
    start = time.perf_counter()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            file.read()
    return time.perf_counter() - start


def forget(folder):
    """Takes the files out of the page cache, as if the machine had read much else meanwhile."""
    for name in os.listdir(folder):
        fd = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # a disk; /tmp is often RAM
        for index in range(num_files):
            with open(os.path.join(folder, str(index)), "wb") as file:
                file.write(os.urandom(file_bytes))
                file.flush()
                os.fsync(file.fileno())

        tested = min(read_all(folder) for _ in range(3))  # BUG: reads RAM, since just written
        in_training = []
        for _ in range(3):
            forget(folder)
            in_training.append(read_all(folder))

    too_good = min(in_training) / tested
    healthy = too_good < 2
    print("OBSERVED", json.dumps({"healthy": healthy, "time_in_training_over_time_in_test":
                                  round(too_good, 1)}))
    sys.exit(0 if healthy else 1)
