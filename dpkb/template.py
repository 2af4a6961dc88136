"""Runs scripts in forks of one process that has imported torch already. Linux only.

Started by process.py as a program of its own, under the interpreter that the scripts run with
(Python 3.8 or later, no dpkb there): python -u template.py SOCKET MODULE...

Importing torch takes longer than most scripts. For each connection to SOCKET this process forks a
supervisor, which forks the script: see supervisor.py. Ends when its standard input does, that is: with
the dpkb that started it.
"""

import atexit
import contextlib
import gc
import importlib
import os
import random
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
import types

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)
import confine  # noqa: E402
import supervisor  # noqa: E402

# Not where torch is to find modules: dpkb's have plain names.
sys.path.remove(HERE)


def next_script(path, modules):
    """Import the modules and serve; returns in each script's own process, with what to run."""
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # not installed, or not in this torch: the script imports what it needs
            continue
    # A supervisor that is killed leaves its orphans to this process, which ends with the command.
    confine.LIBC.prctl(confine.SUBREAPER, 1, 0, 0, 0)
    served = os.getppid()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    gc.collect()
    gc.freeze()  # a script's own collections do not touch, and so copy, what is shared
    print("ready")
    while True:
        readable = select.select([listener, sys.stdin], [], [])[0]
        if sys.stdin in readable:
            os._exit(0)
        connection = listener.accept()[0]
        supervisor.reap()
        if caller(connection) != served:  # a script that found the socket
            connection.close()
        elif os.fork() == 0:
            listener.close()
            return supervisor.supervise(connection)
        else:
            connection.close()


def caller(connection):
    """The process at the other end."""
    size = struct.calcsize("3i")
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[0]


def become(request):
    """Make this process look as if the interpreter had just been started for the script."""
    script = request["argv"][-1]
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None
    if "multiprocessing.process" in sys.modules:
        sys.modules["multiprocessing.process"].ORIGINAL_DIR = request["place"]["work"]
    # Every fork would draw the same "random" numbers otherwise.
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
    sys.argv[:] = [script]
    sys.path.insert(0, os.path.dirname(script))
    main = types.ModuleType("__main__")
    main.__file__ = script
    main.__spec__ = None  # as for `python script.py`: spawned workers import it by its path
    sys.modules["__main__"] = main
    with open(script, "rb") as file:
        return compile(file.read(), script, "exec"), main.__dict__


def quiet_children():
    """From here on the end of a worker is no news: torch's handler would raise in the middle of this."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def leave(code):
    """End as the interpreter does, but for its own tearing down, in which torch 1.8 often hangs."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # closed by the script
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    _code, _names = become(next_script(sys.argv[1], sys.argv[2:]))
    _status = 0
    try:
        exec(_code, _names)
    except SystemExit as _end:
        _status = _end.code if isinstance(_end.code, int) else int(_end.code is not None)
        if _end.code is not None and not isinstance(_end.code, int):
            print(_end.code, file=sys.stderr)
    except BaseException as _error:
        quiet_children()
        # The traceback as the user would see it: without the frame of this file.
        sys.excepthook(type(_error), _error, _error.__traceback__.tb_next)
        _status = 1
    quiet_children()
    leave(_status & 0xFF)
