"""Code that runs inside another interpreter: Python 3.8, standard library only, imports nothing of dpkb.

`if MYPY:` replaces `if TYPE_CHECKING:`, because importing `typing` takes time. mypy treats MYPY as true.
"""
