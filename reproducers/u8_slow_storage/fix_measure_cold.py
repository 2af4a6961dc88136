"""U8: a measurement of the storage that the page cache does not falsify.

Files that were just written or read are in the page cache, which is memory. To measure the disk,
drop them from the cache first. posix_fadvise does that for files that you may read.

Symptom: none: the files take at least twice as long to read once they are dropped from the cache
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_warm_page_cache.py; python fix_measure_cold.py
"""
import json
import os
import random
import sys
import tempfile
import time

if not hasattr(os, "posix_fadvise"):
    print("SKIPPED needs os.posix_fadvise, so Linux")
    sys.exit(77)

num_files, file_bytes = 100, 128 * 1024


def milliseconds_per_file(paths, count=200):
    """The time to read one file from storage, without the help of the page cache."""
    paths = random.sample(paths, min(count, len(paths)))
    for path in paths:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # FIX: drop it
    start = time.perf_counter()
    for path in paths:
        with open(path, "rb") as file:
            file.read()
    return 1000 * (time.perf_counter() - start) / len(paths)


def milliseconds_if_cached(paths):
    start = time.perf_counter()
    for path in paths:
        with open(path, "rb") as file:
            file.read()
    return 1000 * (time.perf_counter() - start) / len(paths)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # a disk; /tmp is often RAM
        paths = [os.path.join(folder, str(index)) for index in range(num_files)]
        for path in paths:
            with open(path, "wb") as file:
                file.write(os.urandom(file_bytes))
                file.flush()
                os.fsync(file.fileno())
        cached = min(milliseconds_if_cached(paths) for _ in range(3))
        cold = min(milliseconds_per_file(paths) for _ in range(3))

    healthy = cold > 2 * cached
    print("OBSERVED", json.dumps({"healthy": healthy, "cold_over_cached": round(cold / cached, 1)}))
    sys.exit(0 if healthy else 1)
