"""Explains exceptions that nothing catches: under the traceback, the tensors where it failed, and the entry.

In a program: `from dpkb.traceback import install; install()`. For a program as it is: `python -m dpkb.traceback
train.py`. In a notebook: `%load_ext dpkb`.
"""

# Nothing else is imported until something fails.
from __future__ import annotations

import sys

MYPY = False
if MYPY:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any


# An exception that was explained has this attribute. It is not kept elsewhere: its frames hold tensors.
_EXPLAINED = "_dpkb_explained"


class _Hook:
    """Shows an exception as the hook before it did, and explains it afterwards."""

    def __init__(self, shown_by: Callable[..., Any]) -> None:
        self._shown_by = shown_by

    def __call__(self, *args: Any) -> None:
        # sys.excepthook gets the class, the exception and the traceback; threading's gets one object with all.
        error = args[1] if len(args) == 3 else args[0].exc_value
        if __name__ == "__main__" and len(args) == 3:
            trace = _without_runner(args[2])
            args = args[0], BaseException.with_traceback(error, trace), trace
        self._shown_by(*args)
        print_explanation(error)


def install() -> None:
    """Explain each exception that nothing catches, in all threads, after the hook that is there has shown it.

    In a notebook, the exceptions of its cells too.
    """
    import threading

    if shell := find_shell():
        shell.extension_manager.load_extension("dpkb")
    for module in (sys, threading):
        if not isinstance(module.excepthook, _Hook):
            module.excepthook = _Hook(module.excepthook)  # type: ignore[attr-defined]


def find_shell() -> Any:
    """The IPython that runs this program, which shows exceptions itself; None without one."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def print_explanation(error: BaseException, with_traceback: bool = False) -> None:
    """Print what explains an exception on standard error, once. It raises nothing.

    with_traceback: print its traceback before, if something explains it.
    """
    try:
        # Ctrl-C and sys.exit() need no explanation. A callback or another hook may have been there before.
        if not isinstance(error, Exception) or _EXPLAINED in object.__getattribute__(error, "__dict__"):
            return
        if text := explain(error):
            if with_traceback:
                from traceback import print_exception

                print_exception(type(error), error, error.__traceback__)
            print(f"\n{text}", file=sys.stderr, flush=True)
            BaseException.__setattr__(error, _EXPLAINED, True)
    except (Exception, KeyboardInterrupt):
        pass  # what was raised is shown, and the exit code stays


def explain(error: BaseException, width: int | None = None) -> str:
    """The tensors where an exception was raised, and the entry that explains it; "" if there is neither."""
    from contextlib import suppress
    from traceback import format_exception

    from dpkb.audit.guest_half import import_guest
    from dpkb.output.failure import render_entry, render_frames
    from dpkb.output.terminal import count_columns

    width = width or count_columns()
    lines: list[str] = []
    with suppress(Exception):  # each part is worth having without the other
        if "torch" in sys.modules:
            guest = import_guest("failed_frames")
            lines += render_frames(guest.find_failed_frames(error), width)
    with suppress(Exception):
        lines += render_entry("".join(format_exception(type(error), error, error.__traceback__)), width)
    return "\n".join(lines)


def _without_runner(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames that run a program for `python -m dpkb.traceback`.

    None is left of a program with wrong syntax: Python shows no frame for it.
    """
    import runpy

    runners = (__file__, runpy.__file__, "<frozen runpy>")
    start = trace
    while start is not None and start.tb_frame.f_code.co_filename in runners:
        start = start.tb_next
    return start


def _main() -> None:
    import os
    import runpy

    if len(sys.argv) < 2:
        sys.exit("usage: python -m dpkb.traceback PROGRAM [ARGUMENTS]")
    del sys.argv[0]
    if not os.path.isfile(sys.argv[0]):
        sys.exit(f"dpkb: {sys.argv[0]}: there is no such file")
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    install()
    # Python too names the main program by its whole path.
    runpy.run_path(os.path.abspath(sys.argv[0]), run_name="__main__")


if __name__ == "__main__":
    _main()
