"""Runs scripts in forks of one process that has imported torch already. Linux only.

Started by process.py as a program of its own, under the interpreter that the scripts run with
(Python 3.8 or later, no dpkb there): python -u template.py SOCKET MODULE...

Importing torch takes longer than most scripts. For each connection to SOCKET this process forks a
supervisor, which forks the script, reports how it ended, and leaves nothing of it behind. Ends
when its standard input does, that is: with the dpkb that started it.

    dpkb -> {"script", "cwd", "env", "stdout", "stderr", "open_files", "shm_mb"} in
            one line
    dpkb <- "started PID", then "ended STATUS" as waitpid gives it
    dpkb -> "end" at any time; dpkb <- "gone" when no process of the script is left
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import random
import resource
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import types

PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
TRACKER = b"multiprocessing.resource_tracker"


def next_script(path, modules):
    """Import the modules and serve; returns in each script's own process, with what to run."""
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # not installed, or not in this torch: the script imports what it needs
            continue
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
        reap()
        if os.fork() == 0:
            listener.close()
            return supervise(connection)
        connection.close()


def reap():
    """The statuses of the children that have ended, by process id; None where there is no child."""
    ended = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended or None
        if not pid:
            return ended
        ended[pid] = status


def supervise(connection):
    """Fork the script and see it to its end; returns only in the script's process."""
    request = json.loads(connection.makefile("r").readline())
    os.setsid()
    # Orphans of the script become children of this process: none can get away.
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    script = os.fork()
    if script == 0:
        connection.close()
        return request
    connection.sendall(b"started %d\n" % script)
    asked_to_end = False
    while not asked_to_end:
        asked_to_end = bool(select.select([connection], [], [], 0.02)[0])
        status = (reap() or {}).get(script)
        if status is not None and not asked_to_end:
            connection.sendall(b"ended %d\n" % status)
    kill_children()
    with contextlib.suppress(OSError):  # dpkb itself may be gone
        connection.sendall(b"gone\n")
    os._exit(0)


def kill_children():
    """Kill all that is left, but give Python's tracker a second to remove its semaphores."""
    patience = time.monotonic() + 1.0
    while reap() is not None:
        for pid in children():
            if time.monotonic() > patience or not is_tracker(pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
        time.sleep(0.005)


def children():
    """The processes whose parent is this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:
            continue
        if parent == os.getpid():
            found.append(int(name))
    return found


def is_tracker(pid):
    """Whether this is the process that removes the semaphores which the others leave."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return TRACKER in file.read()
    except OSError:
        return False


def small_shared_memory(megabytes):
    """Give this process a /dev/shm of its own of this size. Needs the right to mount."""
    libc = ctypes.CDLL(None, use_errno=True)
    steps = (lambda: libc.unshare(CLONE_NEWNS),
             lambda: libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None),
             lambda: libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"size=%dm" % megabytes))
    for step in steps:
        if step():
            raise OSError(ctypes.get_errno(), "a private /dev/shm cannot be mounted")


def become(request):
    """Make this process look as if the interpreter had just been started for the script."""
    os.setsid()
    os.chdir(request["cwd"])
    for number, name, flags in ((0, os.devnull, os.O_RDONLY), (1, request["stdout"], os.O_WRONLY),
                                (2, request["stderr"], os.O_WRONLY)):
        opened = os.open(name, flags | (os.O_APPEND if number else 0))
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None
    if request["shm_mb"]:
        small_shared_memory(request["shm_mb"])
    if request["open_files"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["open_files"],) * 2)
    if "multiprocessing.process" in sys.modules:
        sys.modules["multiprocessing.process"].ORIGINAL_DIR = request["cwd"]
    # Every fork would draw the same "random" numbers otherwise.
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
    sys.argv[:] = [request["script"]]
    sys.path[0] = os.path.dirname(request["script"])
    main = types.ModuleType("__main__")
    main.__file__ = request["script"]
    main.__spec__ = None  # as for `python script.py`: spawned workers import it by its path
    sys.modules["__main__"] = main
    with open(request["script"], "rb") as file:
        return compile(file.read(), request["script"], "exec"), main.__dict__


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
