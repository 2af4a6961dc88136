"""Starts one script in its confinement, reports its end, and ends all of its processes. Linux only.

Runs under any Python from 3.8 on; imports only the standard library. dpkb starts it as a program with the file of
its request and a socket as its standard input; fork_server.py imports it. Its outputs are those of the script. The
request is a JSON object: "argv", "env", "folders", "confinement", "shm_bytes", "open_files". The socket keeps
messages apart:

    dpkb <- "started PID" (of the supervisor, as dpkb sees it), then "ended STATUS" (as waitpid gives it)
    dpkb <- "refused REASON", if the script cannot be started
    dpkb -> closes its side at any time; the supervisor closes its own when no process of the script is left
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import sys

MYPY = False
if MYPY:
    from typing import Any, NoReturn

    from dpkb.guest import confine, kernel, processes

    Request = dict[str, Any]  # as read from JSON
else:
    if __name__ == "__main__":
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import confine
    import kernel
    import processes


def fork_script(connection: int, file: str) -> Request:
    """Fork the script's process. Returns only in that process, with its request; the supervisor exits."""
    os.write(connection, f"started {os.getpid()}".encode())
    try:
        with open(file) as text:
            request: Request = json.load(text)
        enter_confinement(request)
        wait_end, own_end = os.pipe()
        script = os.fork()
        if script == 0:
            os.close(own_end)
            os.read(wait_end, 1)  # ends when the supervisor, now protected, closes its end
            os.close(wait_end)
            become_script(request)
            os.close(connection)
            return request
        os.close(wait_end)
        if request["confinement"]["active"]:
            confine.protect_supervisor()
        os.close(own_end)
    except OSError as error:
        os.write(connection, f"refused {error.strerror or error}".encode())
        os._exit(0)
    oversee(connection, script)


def enter_confinement(request: Request) -> None:
    """Make sure that no process of the script can escape from this one. Raises OSError.

    With a confinement, this process goes on as the first one of new namespaces.
    """
    confinement, folders = request["confinement"], request["folders"]
    if os.getsid(0) != os.getpid():
        os.setsid()
    # Orphans of the script become children of this process.
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    if not confinement["active"]:
        return
    needed = (sys.prefix, folders["work"], *request["argv"])
    if any(path.startswith(confine.VAR_TMP + "/") for path in needed):
        folders["spool"] = None  # a mount on /var/tmp would hide files that the script needs
    confine.unshare(confinement["user"])
    first = os.fork()
    if first:
        os.waitpid(first, 0)
        os._exit(0)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    confine.build_view(confinement, folders, request["shm_bytes"])


def become_script(request: Request) -> None:
    """Set up input, limits and rights in the script's own process, before the script runs."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.setsid()
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if the machine runs out of memory, the kernel ends the script first
    os.chdir(request["folders"]["work"])
    if request["open_files"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["open_files"],) * 2)
    confine.give_up_privileges(request["confinement"])


def oversee(connection: int, script: int) -> NoReturn:
    """Report the script's end. When dpkb asks for it or has ended itself, end the script's processes."""
    while not select.select([connection], [], [], 0.02)[0]:
        status = processes.reap().get(script)
        if status is not None:
            os.write(connection, f"ended {status}".encode())
    if os.getpid() != 1:  # the kernel ends a whole namespace with its first process
        processes.end_all(reap_and_find_descendants)
    os._exit(0)


def reap_and_find_descendants() -> list[int]:
    """The processes of the script that are still there."""
    processes.reap()
    return processes.find_descendants(os.getpid())


if __name__ == "__main__":
    _request = fork_script(os.dup(0), sys.argv[1])
    try:
        os.execve(_request["argv"][0], _request["argv"], _request["env"])
    except OSError as _error:
        print(f"{_request['argv'][0]}: cannot be started: {_error.strerror}", file=sys.stderr)
        os._exit(127)
