"""The base class of all checks of the audit."""

from __future__ import annotations

from dpkb_audit.user_code import find_user_line

MYPY = False
if MYPY:
    from collections.abc import Iterator
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.facts import Fact
    from dpkb_audit.records import LoaderRecord

CERTAIN, LIKELY, HINT = "certain", "likely", "hint"
# A check reports at most this many lines in a process.
_MAX_LINES = 20


class Check:
    """Looks for the failure of one entry.

    A subclass has the name of the entry, and a method on_<event> for each event that it needs (see EVENTS in
    events.py). An exception in it ends the check, not the program.
    """

    # For the report, the subject of the check: "the random generators of the dataset in each worker".
    description = ""
    # For the report, one line that says how to change the program.
    fix = ""
    # Whether it reads the values of tensors, on the CPU only.
    cpu_only = False

    def __init__(self, audit: Audit) -> None:
        self.audit, self.training = audit, audit.training
        self._reported: set[object] = set()
        self.prepare()

    def prepare(self) -> None:
        """Prepare what the check keeps during the run."""

    @property
    def id(self) -> str:
        """The entry's id."""
        return type(self).__name__

    def report(
        self,
        certainty: str,
        message: str,
        where: tuple[str, int] | None = None,
        fix: str | None = None,
        **evidence: Any,
    ) -> None:
        """Report the entry's failure, once for each line of the user's code. where: this line by default."""
        where = where or find_user_line()
        if where in self._reported or len(self._reported) > _MAX_LINES:
            return
        self._reported.add(where)
        if len(self._reported) > _MAX_LINES:
            self.audit.journal.write("left_out", area=f"lines with {self.id} after the first {_MAX_LINES}")
            return
        self.audit.journal.write(
            "finding",
            id=self.id,
            certainty=certainty,
            message=message,
            fix=fix or self.fix,
            where=where,
            evidence=evidence,
            step=self.training.step,
            **self.audit.process_fields(),
        )

    def note(self, **fact: Any) -> None:
        """Write a fact for `compare`, which gets the facts of all processes."""
        self.audit.journal.write(
            "fact", id=self.id, step=self.training.step, fact=fact, **self.audit.process_fields()
        )

    def keep(self, record: LoaderRecord, value: Any) -> None:
        """Keep a value with a loader. It replaces the previous value."""
        record.kept[self.id] = value

    def find_value(self, record: LoaderRecord) -> Any:
        """The value that this check keeps with a loader, or None."""
        return record.kept.get(self.id)

    def pause(self, event: str) -> None:
        """Get no more of these events until `resume`, which saves time in each step.

        A forked child gets the events again.
        """
        self.audit.dispatcher.pause(self, event)

    def resume(self, event: str) -> None:
        """Get these events again."""
        self.audit.dispatcher.resume(self, event)

    def pause_until_module_calls(self, event: str) -> None:
        """Get no more of these events until module calls are looked at."""
        if not self.audit.module_calls.looking:
            self.audit.dispatcher.pause(self, event, until_calls=True)

    def trace(self, data: bytes) -> None:
        """Add bytes to this check's trace, which `compare` gets as the fact `trace` of this process."""
        self.audit.journal.trace(self.id, data)

    # The id of another entry: then `compare` gets the facts of the check of that entry instead.
    facts_of: str | None = None

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        """Findings from the facts of several processes. It runs in dpkb, after the end of the program.

        `finding(...)` builds a finding.
        """
        return iter(())

    @classmethod
    def finding(
        cls, certainty: str, message: str, where: Any = None, fix: str | None = None, **evidence: Any
    ) -> dict[str, Any]:
        """Build a finding of `compare`. where: (file, line) or None."""
        return {
            "id": cls.__name__,
            "certainty": certainty,
            "message": message,
            "fix": fix or cls.fix,
            "where": where,
            "evidence": evidence,
        }


def torch_release() -> tuple[int, ...]:
    """The first two numbers of the version of torch."""
    import torch

    return tuple(int(number) for number in torch.__version__.split("+")[0].split(".")[:2] if number.isdigit())
