"""U8: a speed test with files that were just written measures memory, not the disk.

Files that were just written or read are in the page cache, which is memory. A speed test with such
files measures memory. Training over more data than memory reads from the disk.

Symptom: the files take many times as long to read later as in the test
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_warm_page_cache.py; python fix_measure_cold.py
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
    """Seconds for reading every file once."""
    start = time.perf_counter()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            file.read()
    return time.perf_counter() - start


def forget(folder):
    """Drops the files from the page cache, as reading much other data would."""
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

        tested = min(read_all(folder) for _ in range(3))  # BUG: reads memory, not the disk
        in_training = []
        for _ in range(3):
            forget(folder)
            in_training.append(read_all(folder))

    too_good = min(in_training) / tested
    healthy = too_good < 2
    print("OBSERVED", json.dumps({"healthy": healthy, "time_in_training_over_time_in_test":
                                  round(too_good, 1)}))
    sys.exit(0 if healthy else 1)
