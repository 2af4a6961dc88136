"""A fork server runs while its block runs, and has ended afterwards."""

import os
import re
import sys
import threading

import pytest

from dpkb.model import Needs
from dpkb.runner import launch
from dpkb.runner.confinement import find_confinement
from dpkb.runner.fork_server import run_fork_server
from dpkb.runner.limits import Limits
from dpkb.runner.processes import find_descendants
from dpkb.runner.torch_envs import find_installed_python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked on Linux only")


def test_the_fork_server_runs_while_the_block_runs():
    before, go_on = set(find_descendants(os.getpid())), threading.Event()
    with run_fork_server(sys.executable, dict(os.environ), go_on, modules=("no_such_module",)) as server:
        assert server.fileno() >= 0 and set(find_descendants(os.getpid())) - before
    assert server.fileno() == -1 and set(find_descendants(os.getpid())) <= before


def test_a_program_that_is_no_interpreter_gives_no_fork_server(tmp_path):
    for python in (str(tmp_path / "python"), "/bin/true"):
        with run_fork_server(python, dict(os.environ), threading.Event(), modules=()) as server:
            assert server is None


def test_a_request_to_stop_ends_the_waiting():
    stop = threading.Event()
    stop.set()
    before = set(find_descendants(os.getpid()))
    with run_fork_server(sys.executable, dict(os.environ), stop, modules=()) as server:
        assert server is None
    assert set(find_descendants(os.getpid())) <= before


# Prints what a script can see of the interpreter before it imports anything of its own.
STATE = """
names = sorted(set(globals()))
import builtins, os, signal, sys, threading
print(names, __builtins__ is builtins, __loader__.name, __loader__.path == __file__, __spec__, __package__)
print(sys.argv, getattr(sys, "orig_argv", None), sys.path, sys.flags, sys.warnoptions, sys.getswitchinterval())
print(sys._getframe().f_code.co_flags & ~64, sys.modules["__main__"].__dict__ is globals())
for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.name, stream.mode, stream.encoding, stream.errors, stream.line_buffering, stream.write_through)
print([(number, signal.getsignal(number)) for number in range(1, 32)], signal.pthread_sigmask(0, []))
print(threading.main_thread() is threading.current_thread(), threading.active_count(), os.getcwd()[-2:])
print(sys.excepthook is sys.__excepthook__, sorted(set(os.listdir("/proc/self/fd")) & set("012345")))
for name in ("kernel", "supervisor"):
    try:
        __import__(name)
    except ImportError:
        print("no module", name)
"""
BEHAVIOURS = {
    "state": STATE,
    "annotations": "x: int = 1\nprint(__annotations__)\ndef f(x: undefined_name): pass\n",
    "future annotations": "from __future__ import annotations\ndef f(x: undefined_name): pass\n"
    "print(f.__annotations__)\n",
    "syntax error": "x = = 1\n",
    "error": "def f():\n    raise ValueError('no')\ntry:\n    f()\nexcept ValueError:\n    f()\n",
    "own hook": "import sys\nsys.excepthook = lambda *error: print('hook', error[0].__name__)\nraise ValueError\n",
    "last error": "import atexit, sys\natexit.register(lambda: print(sys.last_type, sys.last_value))\nraise OSError(1)\n",
    "interrupt": "raise KeyboardInterrupt\n",
    "exit in a thread": "import atexit, sys, threading, time\natexit.register(print, 'at exit')\n"
    "threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\nsys.exit(3)\n",
    "error at exit": "import atexit\natexit.register(print, 'first')\n@atexit.register\ndef f():\n    raise ValueError\n",
    "output that is lost": "import os, sys\nsys.stdout = open(1, 'w', closefd=False)\nprint('no')\nos.close(1)\n",
    "closed output": "import sys\nsys.stdout.close()\n",
    "what is left": "class A:\n    def __del__(self): print('deleted', A)\na = A()\nb = A()\nb.itself = b\n"
    "def f():\n    file = open(1, 'w', closefd=False)\n    file.write('in a buffer')\n    return file\nx = [f()]\n",
    "what an error leaves": "class A:\n    def __del__(self): print('deleted')\n"
    "def f():\n    a = A()\n    raise ValueError\nf()\n",
    "spawned": "import multiprocessing\ndef f(x): return x, __name__\nif __name__ == '__main__':\n"
    "    with multiprocessing.get_context('spawn').Pool(1) as pool: print(pool.map(f, [1]))\n",
}
# The frame below the script's own, and what an interpreter says of an error at its end.
NO_DIFFERENCE = re.compile(
    r'  File "[^"]*/fork_server\.py".*\n(?: {4}.*\n)*|^(?:Exception ignored|OSError: ).*\n', re.M
)
OLDER_PYTHON = next(
    filter(None, (find_installed_python(f"3.{n}") for n in range(8, sys.version_info[1]))), None
)


@pytest.fixture(scope="module", params=[sys.executable, OLDER_PYTHON], ids=["this Python", "older Python"])
def python_and_fork_server(request):
    if request.param is None:
        pytest.skip("no Python older than this one is installed")
    with run_fork_server(request.param, dict(os.environ), threading.Event(), modules=()) as server:
        yield request.param, server


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_forked_script_does_what_it_does_as_a_program(python_and_fork_server, tmp_path, name):
    python, server = python_and_fork_server
    script, env = tmp_path / "script.py", dict(os.environ)
    script.write_text(BEHAVIOURS[name])
    confinement, ends = find_confinement(), []
    for way in (None, server):
        program = launch.Program([python, "-u", str(script)], env, Needs(), confinement, way)
        output = {"stdout": b"", "stderr": b""}

        def take(stream, chunk, output=output):
            output[stream] += chunk

        ended = launch.run_to_end(program, Limits(), threading.Event(), take)
        said = NO_DIFFERENCE.sub("", output["stderr"].decode())
        ends.append((ended.code, ended.signal, output["stdout"].decode(), re.sub("0x[0-9a-f]+", "0x", said)))
    assert ends[0] == ends[1]
