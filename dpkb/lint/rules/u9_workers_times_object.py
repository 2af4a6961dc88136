"""U9: a table of which each worker loads a copy."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.loaders import find_datasets, find_loaders_of_class
from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "self.table = np.load(path) in __getitem__ without mmap_mode, or the like."

_LOAD_FUNCTIONS = (
    "numpy.load",
    "torch.load",
    "pandas.read_csv",
    "pandas.read_parquet",
    "pickle.load",
    "json.load",
)


def check(file: SourceFile) -> Iterator[Finding]:
    for info in find_datasets(file):
        used_by = find_loaders_of_class(file, info)
        if used_by and not any(loader.may_have_workers for loader in used_by):
            continue
        for name, values in info.attributes.items():
            for method, value in values:
                if method not in ("__getitem__", "__getitems__", "__iter__"):
                    continue
                for origin in info.file.values.origins(value):
                    if (
                        isinstance(origin, ast.Call)
                        and info.file.scopes.callee(origin) in _LOAD_FUNCTIONS
                        and find_argument(origin, "mmap_mode") is None
                        and find_argument(origin, "mmap") is None
                    ):
                        yield info.file.finding(
                            "U9",
                            origin,
                            Certainty.HINT,
                            f"each worker keeps a private copy of `self.{name}` (`{text_of(origin)}`)",
                            'map the file: `np.load(path, mmap_mode="r")`',
                        )
