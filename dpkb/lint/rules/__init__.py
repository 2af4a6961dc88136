"""The rules: one module each, named like the file of the entry whose failure it finds."""

import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from dpkb.errors import UsageError
from dpkb.ids import normalize_id
from dpkb.lint.finding import Finding
from dpkb.lint.source_file import SourceFile


@dataclass(frozen=True)
class Rule:
    """The rule of one module in this folder.

    summary: names the failure. looks_for: the code in which it shows, in one line. check: finds it in a file.
    """

    summary: str
    looks_for: str
    check: Callable[[SourceFile], Iterator[Finding]]


@cache
def all_rules() -> dict[str, Rule]:
    """Entry id -> the rule that finds its failure."""
    rules = {}
    stems = {info.name.partition("_")[0].upper(): info.name for info in pkgutil.iter_modules(__path__)}
    for rule_id, stem in sorted(stems.items()):
        module = import_module(f"{__name__}.{stem}")
        rules[rule_id] = Rule(module.__doc__ or "", module.LOOKS_FOR, module.check)
    return rules


def parse_rule_id(name: str) -> str:
    """The id as the rules write it. Raises UsageError for an entry that lint has no rule for."""
    rule_id = normalize_id(name)
    if rule_id not in all_rules():
        raise UsageError(
            f"lint has no rule for {name or 'an empty id'}; it has rules for {', '.join(all_rules())}"
        )
    return rule_id
