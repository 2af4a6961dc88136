"""U9: a table of which each worker loads a copy."""

import ast

from dpkb.lint.loaders import find_datasets
from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "self.table = np.load(path) in __getitem__ without mmap_mode, or the like."

_LOAD_FUNCTIONS = (
    "numpy.load",
    "torch.load",
    "pandas.read_csv",
    "pandas.read_parquet",
    "pickle.load",
    "json.load",
)


def check(file: SourceFile) -> Findings:
    for info, used_by in find_datasets(file).items():
        if used_by and not any(loader.may_have_workers for loader in used_by):
            continue
        loaded = [
            (name, origin)
            for name, values in info.attributes.items()
            for method, value in values
            if method in ("__getitem__", "__getitems__", "__iter__")
            for origin in info.file.values.origins(value)
        ]
        for name, origin in loaded:
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
