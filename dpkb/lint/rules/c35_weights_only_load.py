"""C35: torch.load that may run code from the file."""

from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import as_constant, find_argument
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "torch.load(..., weights_only=False)."


def check(file: SourceFile) -> Iterator[Finding]:
    for call in file.scopes.calls_of("torch.load"):
        value = find_argument(call, "weights_only")
        if as_constant(value) is False and value is not None:
            yield file.finding(
                "C35",
                value,
                Certainty.HINT,
                "a pickle can run any code: weights_only=False is for files that you trust",
                "save state dicts, and load them with weights_only=True",
            )
