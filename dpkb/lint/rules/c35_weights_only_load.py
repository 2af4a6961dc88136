"""C35: torch.load that may run code from the file."""

from dpkb.lint.models import find_loads
from dpkb.lint.nodes import as_constant, find_argument, find_receiver, has_unknown_arguments, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "torch.load(..., weights_only=False), and torch.load(...) of a file that has whole objects."

_METHODS_OF_OBJECTS = ("eval", "train", "parameters", "state_dict", "step")


def check(file: SourceFile) -> Findings:
    loads = {
        load: text_of(find_receiver(call))
        for call in (
            file.scopes.method_calls(*_METHODS_OF_OBJECTS) if file.scopes.calls_of("torch.load") else ()
        )
        for load in find_loads(file, find_receiver(call))
    }
    for load, name in loads.items():
        if find_argument(load, "weights_only") is None and not has_unknown_arguments(load):
            yield file.finding(
                "C35",
                load,
                Certainty.LIKELY,
                f"the file has a whole object, `{name}`: from torch 2.6 on, torch.load refuses it",
                "save state_dict() and load that; for a file that you trust, pass weights_only=False",
            )
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
