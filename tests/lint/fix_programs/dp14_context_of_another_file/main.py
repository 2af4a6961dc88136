import contextlib

import jobs.load as job

with contextlib.suppress(ValueError):
    job.load([1])
    print("loaded")
print("end")
