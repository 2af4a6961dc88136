"""Starts one script in its confinement, reports its end, and ends all of its processes. Linux only.

Runs under any Python from 3.8 on; imports only the standard library. dpkb starts it as a program with the file of
its request, and a socket as its standard input; fork_server.py imports it. The request is a JSON object: "argv",
"env", "folders", "confinement", "shm_bytes", "open_files". The socket keeps messages apart:

    dpkb <- "started PID" (of the supervisor, as dpkb sees it) or "refused REASON"
    dpkb <- "ended STATUS", as waitpid gives it
    dpkb -> closes its side at any time; the supervisor closes its own when no process of the script is left
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys

MYPY = False
if MYPY:
    from typing import Any

    from dpkb.guest import confine, kernel, processes

    Request = dict[str, Any]  # as read from JSON
else:
    if __name__ == "__main__":
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import confine
    import kernel
    import processes


def fork_script(connection: socket.socket, file: str) -> Request:
    """Fork the script's process. Returns only in that process, with its request; the supervisor exits."""
    try:
        with open(file) as text:
            request: Request = json.load(text)
        streams, first = prepare(request)
        script = confine.fork_prepared(lambda: become_script(request, streams))
    except OSError as error:
        # The first process of a namespace ends with this process, and the whole namespace with it.
        connection.send(f"refused {error.strerror or error}".encode())
        os._exit(0)
    if script == 0:
        connection.close()
        return request
    oversee(connection, script, first)
    os._exit(0)


def prepare(request: Request) -> tuple[list[int], int | None]:
    """Open the script's streams, and confine the children that this process will fork.

    Returns the streams, and the first process of the new process namespace, if there is one. Raises OSError.
    """
    folders = request["folders"]
    needed = (sys.prefix, folders["work"], *request["argv"])
    if any(path.startswith(confine.VAR_TMP + "/") for path in needed):
        folders["spool"] = None  # a mount on /var/tmp would hide files that the script needs
    if os.getsid(0) != os.getpid():
        os.setsid()
    # Orphans of the script become children of this process, so none can escape.
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    # Open them before the file system becomes read-only.
    streams = [
        os.open(os.devnull, os.O_RDONLY),
        *(os.open(folders[name], os.O_WRONLY | os.O_APPEND) for name in ("stdout", "stderr")),
    ]
    return streams, confine.confine_children(request["confinement"], folders, request["shm_bytes"])


def become_script(request: Request, streams: list[int]) -> None:
    """Set up streams, limits and rights in the script's own process, before the script runs."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        if stream > 2:
            os.close(stream)
    os.setsid()
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if the machine runs out of memory, the kernel ends the script first
    os.chdir(request["folders"]["work"])
    if request["open_files"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["open_files"],) * 2)
    confine.give_up_privileges(request["confinement"])


def oversee(connection: socket.socket, script: int, first: int | None) -> None:
    """Report the script's end. When dpkb asks for it or has ended itself, end the script's processes."""
    connection.send(f"started {os.getpid()}".encode())
    while not select.select([connection], [], [], 0.02)[0]:
        status = processes.reap().get(script)
        if status is not None:
            connection.send(f"ended {status}".encode())
    if first:
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGKILL)  # the kernel ends the whole namespace with it
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()
    else:
        processes.end_all(reap_and_find_descendants)


def reap_and_find_descendants() -> list[int]:
    """The processes of the script that are still there."""
    processes.reap()
    return processes.find_descendants(os.getpid())


if __name__ == "__main__":
    _request = fork_script(socket.socket(fileno=os.dup(0)), sys.argv[1])
    try:
        os.execve(_request["argv"][0], _request["argv"], _request["env"])
    except OSError as _error:
        print(f"{_request['argv'][0]}: cannot be started: {_error.strerror}", file=sys.stderr)
        os._exit(127)
