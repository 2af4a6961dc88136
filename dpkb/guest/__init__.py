"""Code that runs inside another interpreter: Python 3.8, standard library only, imports nothing of dpkb.

`if MYPY:` (mypy takes it for true) stands for `if TYPE_CHECKING:`, since importing `typing` takes time there.
"""
