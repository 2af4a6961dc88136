"""Starts one script, confined, sees it to its end, and leaves nothing of it behind. Linux only.

Started by process.py as a program of its own, python -I -S supervisor.py, with a socket as its standard
input; imported by template.py, whose forks do the same under the interpreter that the scripts run
with (Python 3.8 or later, no dpkb there). What is said on the socket, a line each:

    dpkb -> {"argv", "env", "place", "confinement", "processes", "memory", "group", "shm_bytes", "open_files"}
    dpkb <- "started PID SCRIPT", both numbers as dpkb sees them, or "refused WHY"
    dpkb <- "ended STATUS" as waitpid gives it, or "reached processes" or "reached memory" at that limit
    dpkb -> "end" at any time; dpkb <- "gone" when no process of the script is left
"""

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cgroup
import cleaners
import confine


def supervise(connection):
    """Fork the script and see it to its end; returns only in the script's process, with the request."""
    request = json.loads(connection.makefile("r").readline())
    place, confinement = request["place"], request["confinement"]
    if any(path.startswith(confine.SPOOL + "/") for path in (sys.prefix, place["work"], *request["argv"])):
        place["spool"] = None  # what the script needs lies there, and may not be covered
    if os.getsid(0) != os.getpid():
        os.setsid()
    # Orphans of the script become children of this process: none can get away.
    confine.LIBC.prctl(confine.SUBREAPER, 1, 0, 0, 0)
    # Opened before the file system becomes read-only.
    streams = [os.open(os.devnull, os.O_RDONLY),
               *(os.open(place[name], os.O_WRONLY | os.O_APPEND) for name in ("stdout", "stderr"))]
    group = None
    try:
        if request["group"]:
            group = cgroup.Group({**request["group"], "tasks": confine.TASKS})
        first = enter(confinement, place, request["shm_bytes"], connection)
    except OSError as error:
        if group:
            group.end()
        connection.sendall(b"refused %s\n" % str(error.strerror or error).encode())
        os._exit(0)
    script = os.fork()
    if script == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        for stream in streams:
            if stream > 2:
                os.close(stream)
        if group:
            group.join()
        become_the_script(request)
        return request
    with contextlib.suppress(OSError):
        os.nice(-5)  # to be heard also among hundreds of processes; only root may
    connection.sendall(b"started %d %d\n" % (os.getpid(), script))
    watch(connection, script, lambda: reached(request, group, names if first else descendants), group)
    if first:
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGKILL)  # and with it the whole namespace, in one step
        wait_for_children()
    else:
        kill_children()
    if group:
        group.end()
    with contextlib.suppress(OSError):  # dpkb itself may be gone
        connection.sendall(b"gone\n")
    os._exit(0)


def watch(connection, script, limit, group):
    """Tell how the script ended, when it does; return when asked to end, or when dpkb is gone.

    A storm of processes is ended here and not by dpkb, which may hardly get a turn in it.
    """
    count_at = time.monotonic()
    while not select.select([connection], [], [], 0.02)[0]:
        status = (reap() or {}).get(script)
        if status is not None:
            full = group and group.was_full()
            connection.sendall(b"reached memory\n" if full else b"ended %d\n" % status)
        if time.monotonic() > count_at:
            count_at = time.monotonic() + 0.1
            if word := limit():
                connection.sendall(b"reached %s\n" % word)
                return


def reached(request, group, members):
    """The limit that is seen from here only, or here best."""
    if len(members()) > request["processes"]:
        return b"processes"
    segments = confine.segments() if "files" in request["confinement"]["parts"] else 0
    if segments > request["memory"] or (group and group.was_full()):
        return b"memory"
    return None


def become_the_script(request):
    """What only the script's own process can do to itself before it runs."""
    os.setsid()
    confine.prefer_for_oom()
    os.chdir(request["place"]["work"])
    if request["open_files"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["open_files"],) * 2)
    confine.bound(request["confinement"], request["place"])


def enter(confinement, place, shm_bytes, connection):
    """Confine what this process will start; the first process of its namespace, where it has one."""
    parts = confinement["parts"]
    if parts:
        confine.unshare(confinement)
    if "processes" not in parts:
        confine.furnish(confinement, place, shm_bytes)
        return None
    read, write = os.pipe()
    first = os.fork()
    if first == 0:
        connection.close()
        confine.LIBC.prctl(confine.SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
        stand_first(write, lambda: confine.furnish(confinement, place, shm_bytes))
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        said = answer.readline().decode().strip()
    if said != "ok":
        os.waitpid(first, 0)
        raise OSError(said or "the first process of the namespace ended")
    return first


def stand_first(descriptor, act):
    """Furnish the namespace, then be the process that orphans fall to, until it is killed."""
    if not confine.answer(descriptor, act):
        os._exit(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.closerange(3, 1024)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the orphans
    while True:
        signal.pause()


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


def wait_for_children():
    """Wait until all have ended. By no number of theirs: the /proc in view is their namespace's."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def kill_children():
    """Kill all that is left, but give those time that remove from shared memory what others leave."""
    patience = time.monotonic() + cleaners.PATIENCE
    while reap() is not None:
        for pid in descendants():
            if time.monotonic() > patience or not cleans_up(pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


def names():
    """The processes of this namespace, by the numbers that they have in it."""
    return [name for name in os.listdir("/proc") if name.isdigit()]


def descendants():
    """The processes below this one; those of a parent that has ended are its children."""
    found, waiting = [], [os.getpid()]
    while waiting:
        parent = waiting.pop()
        with contextlib.suppress(OSError):  # ended meanwhile
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", "rb") as file:
                    waiting += map(int, file.read().split())
        found.append(parent)
    return found[1:]


def cleans_up(pid):
    """Whether this is a process that removes what the others leave."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return cleaners.is_cleaner(file.read())
    except OSError:
        return False


if __name__ == "__main__":
    _request = supervise(socket.socket(fileno=os.dup(0)))
    try:
        os.execve(_request["argv"][0], _request["argv"], _request["env"])
    except OSError as _error:
        print(f"{_request['argv'][0]}: cannot be started: {_error.strerror}", file=sys.stderr)
        os._exit(127)
