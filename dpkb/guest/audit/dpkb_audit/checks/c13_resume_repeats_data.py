"""C13: a checkpoint from the middle of an epoch, after which the epoch begins again."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.checks import _checkpoints as checkpoints
from dpkb_audit.facts import Fact
from dpkb_audit.lengths import read_length
from dpkb_audit.object_contents import is_a, own_attributes
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import digest
from dpkb_audit.user_code import find_user_line

# When this many indices of an epoch are kept, no more batches are added.
_MAX_INDICES = 2000
# At most this many checkpoints are noted when they are saved. The last one is always noted.
_MAX_SAVES = 20


class _Epoch:
    """An epoch of a loader that may not have ended yet."""

    def __init__(self, loader: Any) -> None:
        attributes = own_attributes(loader)
        dataset = attributes.get("dataset")
        self.size, self.batch_size = (
            read_length(attributes.get("batch_sampler")),
            attributes.get("batch_size"),
        )
        # What identifies the data of the epoch.
        self.data = [self.size, type(dataset).__name__, read_length(dataset)]
        # The indices of each batch that the sampler gave, and a digest of the first batch.
        self.batches: list[list[int]] = []
        self.first: str | None = None
        # Whether a checkpoint was saved in this epoch, and the loaded checkpoint with which it began.
        self.saved = False
        self.resumed: dict[str, Any] | None = None

    def indices(self, start: int, end: int | None = None) -> list[int]:
        """The indices of some batches, in one list."""
        return [i for batch in self.batches[start:end] for i in batch]


class C13(Check):
    description = (
        "checkpoints from the middle of an epoch: whether they have the position, and where the data go on"
    )
    fix = "save how many batches of the epoch were used, and leave these out after the resume"

    def prepare(self) -> None:
        self._saves = 0
        # The fact about the last save, until it is noted.
        self._last: dict[str, Any] | None = None
        # The fingerprint of the checkpoint that was loaded last, until the next backward pass.
        self._loaded: dict[str, Any] | None = None
        self.pause("backward_started")

    def on_epoch_started(self, record: LoaderRecord) -> None:
        # Keep the epoch with the record: the loader may be deleted before its iterator.
        self.keep(record, _Epoch(record.loader))

    def on_indices(self, record: LoaderRecord, indices: Any) -> None:
        epoch: _Epoch | None = self.find_value(record)
        if epoch is not None and is_a(indices, list) and len(epoch.batches) * len(indices) < _MAX_INDICES:
            epoch.batches.append([i for i in indices if type(i) is int])

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        epoch: _Epoch | None = self.find_value(record)
        if record.batch == 1 and epoch is not None and self.audit.can_look():
            epoch.first = digest(batch)

    def on_epoch_ended(self, record: LoaderRecord) -> None:
        epoch: _Epoch | None = self.find_value(record)
        if epoch is not None and epoch.saved:
            self.note(finished=[record.number, record.epochs])
        if epoch is not None and epoch.resumed is not None:
            self.note(remaining=epoch.indices(0), after=epoch.resumed, data=epoch.data)

    def on_saved(self, obj: Any, target: Any) -> None:
        record = self.training.loader
        epoch: _Epoch | None = self.find_value(record) if record is not None else None
        if record is None or epoch is None or not record.trained:
            return
        if (
            epoch.size is None
            or checkpoints.top_level_keys(obj) is None
            or not 0 < record.batch < epoch.size
            or not checkpoints.model_states_in(obj)
        ):
            return
        numbers = checkpoints.whole_numbers_in(obj)
        counts = [record.batch, record.batches, self.training.step]
        positions = {
            count * unit + more
            for count in counts
            for unit in (1, epoch.batch_size or 1)
            for more in (-1, 0, 1)
        }
        epoch.saved = True
        self._last = {
            "saved": _fingerprint(obj),
            "batch": record.batch,
            "where": find_user_line(),
            "data": epoch.data,
            "epoch": [record.number, record.epochs],
            "position": bool(numbers & (positions - {0})),
            "first": epoch.first,
            "used": epoch.indices(0, record.batch),
            "ahead": epoch.indices(record.batch),
        }
        self._saves += 1
        if self._saves <= _MAX_SAVES:
            self._note_last()

    def _note_last(self) -> None:
        if self._last is not None:
            self.note(**self._last)
            self._last = None

    def on_end(self) -> None:
        self._note_last()

    def on_loaded(self, obj: Any, source: Any) -> None:
        if checkpoints.top_level_keys(obj) is not None:
            self._note_last()
            self._loaded = _fingerprint(obj)
            self.resume("backward_started")

    def on_backward_started(self, tensors: Any) -> None:
        loaded, record = self._loaded, self.training.loader
        if loaded is None or record is None:
            return
        self._loaded = None
        # This is the first batch that is used for training after the load.
        epoch: _Epoch | None = self.find_value(record)
        if epoch is not None:
            epoch.resumed = loaded if record.batch == 1 else None
            self.note(
                resumed=loaded,
                batch=record.batch,
                data=epoch.data,
                first=epoch.first if record.batch == 1 else None,
                used=(epoch.batches[record.batch - 1 :] or [[]])[0],
            )

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        finished = [(fact.pid, fact["finished"]) for fact in facts if "finished" in fact]
        for fact in facts:
            finding = (
                cls._find_lost(fact, facts)
                if "remaining" in fact
                else cls._find_repeated(fact, facts, finished)
                if "resumed" in fact
                else None
            )
            if finding:
                yield finding
                return

    @classmethod
    def _find_repeated(
        cls, fact: Fact, facts: list[Fact], finished: list[tuple[int, list[int]]]
    ) -> dict[str, Any] | None:
        """Samples that were used before a save, and come again after the checkpoint was loaded."""
        for saved in facts:
            # An epoch that continued to its end was not resumed: the weights were used for something else.
            if (
                "saved" in saved
                and _is_same(saved["saved"], fact["resumed"])
                and saved["data"] == fact["data"]
                and (saved.pid, saved["epoch"]) not in finished
            ):
                again = len(set(saved["used"]) & set(fact["used"]))
                # A sampler may draw the same sample several times.
                again = 0 if len(set(saved["used"])) < len(saved["used"]) else again
                same = fact["first"] is not None and fact["first"] == saved["first"]
                if same or again or (fact["batch"] == 1 and not saved["position"]):
                    how = (
                        "the loader began again with its first batch"
                        if same or not again
                        else f"the first batch had {again} samples again that had been used"
                    )
                    position = "" if saved["position"] else "without that number; "
                    return cls.finding(
                        LIKELY,
                        f"the checkpoint was saved after {saved['batch']} of {saved['data'][0]} batches of an "
                        f"epoch, {position}after loading it {how}",
                        where=saved["where"],
                        batch=saved["batch"],
                        of=saved["data"][0],
                    )
        return None

    @classmethod
    def _find_lost(cls, fact: Fact, facts: list[Fact]) -> dict[str, Any] | None:
        """Samples that the workers had to load before a save, and that never came after the loading."""
        remaining = set(fact["remaining"])
        for saved in facts:
            # Compare without the loader's length: after a resume it may be that of the remaining batches.
            if (
                "saved" not in saved
                or not _is_same(saved["saved"], fact["after"])
                or (saved["data"][1:] != fact["data"][1:])
            ):
                continue
            used, ahead = set(saved["used"]), set(saved["ahead"])
            drawn = len(saved["used"]) + len(saved["ahead"]) + len(fact["remaining"])
            # Only if each sample was drawn exactly once: then no sampler draws at random with replacement.
            if ahead and len(used | ahead | remaining) == drawn == saved["data"][2]:
                return cls.finding(
                    LIKELY,
                    f"the checkpoint was saved after {saved['batch']} batches of an epoch, when the "
                    f"sampler was {len(ahead)} samples ahead, for its workers. After the checkpoint was "
                    "loaded, these samples never came: it stores the position of the sampler, not that of "
                    "the training",
                    where=saved["where"],
                    fix="count the batches in the training loop, and save that number",
                    lost=len(ahead),
                )
        return None


def _fingerprint(obj: Any) -> dict[str, Any]:
    """Digests by which a checkpoint is recognised. Weights on a GPU are not read."""
    contents = checkpoints.top_level_keys(obj), sorted(checkpoints.whole_numbers_in(obj))
    return {
        "contents": sha1(repr(contents).encode("utf-8", "backslashreplace")).hexdigest(),
        "weights": [digest(state) for state in checkpoints.model_states_in(obj) if _on_cpu(state)][:3],
    }


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[key] == other[key] or (key == "weights" and not (one[key] and other[key])) for key in one)


def _on_cpu(state: dict[str, Any]) -> bool:
    return all(value.device.type == "cpu" for value in state.values() if hasattr(value, "device"))
