"""Forks scripts from one process that has already imported torch. Linux only.

Runs under any Python from 3.8 on; imports only the standard library, and the modules that dpkb names:
python -u fork_server.py MODULE...

Importing torch takes longer than most scripts run, so this process imports it once. Its standard input is a
socket. When it is ready, it sends a message; for each message that it gets, the file of a request and three streams,
it forks a supervisor, which forks the script (see supervisor.py). It ends when the socket is closed, which happens
when the dpkb that started it ends.

A script differs from one that `python script.py` runs only in this: one frame of this file is below its own
frames, /proc/self/cmdline is that of this process, and the modules are already imported, so it cannot observe
their import, and their submodules are attributes of packages that the script has imported.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import importlib.machinery
import os
import random
import signal
import socket
import struct
import sys
import tempfile
import threading
import types
import weakref

# torch must not import modules from the folder of this file. (With python -P it is not on the path.)
_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _HERE]
MYPY = False
if MYPY:
    from typing import NoReturn

    from dpkb.guest import supervisor
else:
    sys.path.insert(0, _HERE)
    import supervisor

    del sys.path[0]


def serve(modules: list[str]) -> supervisor.Request:
    """Import the modules and fork scripts. Returns only in a script's process, with its request."""
    control = socket.socket(fileno=os.dup(0))
    for name in modules:
        with contextlib.suppress(Exception):  # not installed, or not in this torch
            importlib.import_module(name)
    gc.collect()
    for instance in gc.get_objects():
        # torch 2.8 removes such a folder when Python exits, also in each script, which has no right to it.
        if isinstance(instance, tempfile.TemporaryDirectory):
            instance.name = ""
    gc.freeze()  # garbage collection in a script must not write to the shared memory, which would copy it
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the supervisors
    control.send(b"ready")
    while True:
        file, ancillary, _, _ = control.recvmsg(4096, socket.CMSG_LEN(12))
        if not file:
            os._exit(0)
        descriptors = struct.unpack("iii", ancillary[0][2])
        forked = os.fork() == 0
        if forked:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            control.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
        for descriptor in descriptors:
            os.close(descriptor)
        if forked:
            return supervisor.fork_script(os.dup(0), file.decode())


def become_new_interpreter(request: supervisor.Request) -> tuple[str, dict[str, object]]:
    """Make this process look like an interpreter that starts the script. Returns its path and its globals."""
    script = request["argv"][-1]
    # Temporary folders of imported modules belong to the fork server, and no script may remove them.
    for finalizer in list(getattr(weakref.finalize, "_registry", ())):
        finalizer.detach()
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None
    if "multiprocessing.process" in sys.modules:
        vars(sys.modules["multiprocessing.process"])["ORIGINAL_DIR"] = request["folders"]["work"]
    # Otherwise every fork would draw the same "random" numbers.
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
    sys.argv[:] = [script]
    getattr(sys, "orig_argv", [])[1:] = ["-u", script]
    sys.path.insert(0, os.path.dirname(script))
    for name in ("confine", "kernel", "processes", "supervisor"):  # which a script may call its own modules
        sys.modules.pop(name, None)
    main = types.ModuleType("__main__")  # its __spec__ is None: spawned workers import it by its path
    loader = importlib.machinery.SourceFileLoader("__main__", script)
    vars(main).update(__file__=script, __loader__=loader, __builtins__=builtins)
    if sys.version_info < (3, 14):
        vars(main).update(__annotations__={}, __cached__=None)
    sys.modules["__main__"] = main
    return script, main.__dict__


def find_exit_code(end: SystemExit) -> int:
    """The exit code of a SystemExit, by the rules of the interpreter. Prints a code that is no number."""
    if end.code is None:
        return 0
    if not isinstance(end.code, int):
        print(end.code, file=sys.stderr)
        return 1
    return end.code & 0xFF if -(2**63) <= end.code < 2**63 else 0xFF


def print_error(error: BaseException) -> None:
    """Print an uncaught error as the interpreter does, without the frames of this file."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    error.__traceback__ = trace
    vars(sys).update(last_type=type(error), last_value=error, last_traceback=trace, last_exc=error)
    sys.excepthook(type(error), error, trace)


def exit_like_interpreter(code: int, number: int | None = None) -> NoReturn:
    """Exit as the interpreter does, but destroy only the main module: with others, torch 1.8 often hangs.

    number: a signal to die of.
    """
    # torch's handler would raise when a worker ends, but from here on that is normal.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for finish in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        with contextlib.suppress(BaseException):  # Python 3.8 raises what it has printed
            finish()
    flushed = flush_output()
    vars(sys).update(last_type=None, last_value=None, last_traceback=None, last_exc=None)
    gc.collect()  # also brings objects into the order in which they can be destroyed, the outer ones first
    sys.modules.pop("__main__", None)
    gc.collect()  # files that the script has left open write what they still hold
    if not (flush_output() and flushed):
        code = 120
    if number is not None:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(code)


def flush_output() -> bool:
    """Flush the standard streams. False if one cannot be written to."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if not getattr(stream, "closed", stream is None):
                stream.flush()
    except Exception:
        return False
    return True


if __name__ == "__main__":
    _script, _globals = become_new_interpreter(serve(sys.argv[1:]))
    _status = 0
    _signal: int | None = None
    try:
        with open(_script, "rb") as _file:
            _source = _file.read()
        # Without the future statements of this file.
        exec(compile(_source, _script, "exec", dont_inherit=True), _globals)
    except SystemExit as _end:
        _status = find_exit_code(_end)
    except BaseException as _error:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        print_error(_error)
        _status = 1
        if type(_error) is KeyboardInterrupt:  # uncaught: the interpreter dies of the signal
            _signal = signal.SIGINT
    del _globals
    exit_like_interpreter(_status, _signal)
