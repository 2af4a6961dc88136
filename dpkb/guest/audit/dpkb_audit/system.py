"""Python's own functions as they were when the audit began: a program may replace them, as mocks of a clock do."""

MYPY = False
if MYPY:
    import os
    import time
    from io import open  # noqa: UP029
else:
    import builtins
    import os as real_os
    import time as real_time
    from types import SimpleNamespace

    open, time = builtins.open, SimpleNamespace(**vars(real_time))
    os = SimpleNamespace(**{**vars(real_os), "path": SimpleNamespace(**vars(real_os.path))})

__all__ = ["open", "os", "time"]
