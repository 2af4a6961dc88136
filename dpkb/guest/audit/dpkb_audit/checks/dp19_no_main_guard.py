"""DP19: the top level of a script that runs again in each worker that is not forked."""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import process
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.facts import Fact
from dpkb_audit.records import LoaderRecord
from dpkb_audit.user_code import find_user_line


class DP19(Check):
    description = "the actions of a script while a worker that is not forked imports it"
    fix = 'put everything but definitions under if __name__ == "__main__":'

    _noted = 0

    def on_optimizer_created(self, optimizer: Any) -> None:
        self._note("created an optimizer")

    def on_loader_created(self, record: LoaderRecord) -> None:
        self._note("created a DataLoader")

    def on_epoch_started(self, record: LoaderRecord) -> None:
        self._note("started an epoch")

    def on_loaded(self, obj: Any, source: Any) -> None:
        self._note("loaded a file")

    def on_forward_started(self, module: Any, inputs: Any) -> None:
        self._note("ran a model")

    def _note(self, action: str) -> None:
        # Python sets this while a spawned process imports the main module.
        if self._noted < 5 and getattr(process.current_process(), "_inheriting", False):
            self._noted += 1
            self.note(action=action, line=find_user_line())

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        # Spawned ranks are meant to run code of the script; only workers have nothing to do except loading.
        facts = [fact for fact in facts if fact.loader]
        if facts:
            actions = list(dict.fromkeys(fact["action"] for fact in facts))
            workers = len({fact.pid for fact in facts})
            yield cls.finding(
                LIKELY,
                f"the top level of the script ran again in {workers} worker"
                f"{'s' if workers > 1 else ''}, which imported it, and {', '.join(actions[:3])} there",
                where=facts[0]["line"],
                workers=workers,
            )
