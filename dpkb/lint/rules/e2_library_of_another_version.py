"""E2: names, arguments and hooks that libraries no longer have."""

from dpkb.lint.missing_names import find_outdated_names
from dpkb.lint.source_file import Findings, SourceFile

LOOKS_FOR = (
    "What no release of the last two years of a library has; with --python, what the installed one lacks."
)


def check(file: SourceFile) -> Findings:
    yield from find_outdated_names(file, "E2")
