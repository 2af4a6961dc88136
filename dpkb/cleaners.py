"""The processes that remove from shared memory what others leave there, each when those have ended.

Imported by supervisor.py, also under the interpreter that the scripts run with (Python 3.8 or later, no
dpkb there).
"""

# Python's, for semaphores; torch's, for what its "file_system" strategy shares.
NAMES = (b"multiprocessing.resource_tracker", b"torch_shm_manager")

# Torch's waits two seconds for others before it removes anything; Python's hardly takes any.
PATIENCE = 8.0


def is_cleaner(command_line):
    """Whether a process with these arguments, as bytes, is one: then it ends by itself, a little later."""
    return any(name in command_line for name in NAMES)
