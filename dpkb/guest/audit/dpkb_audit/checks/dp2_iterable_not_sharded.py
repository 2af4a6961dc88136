"""DP2: workers or ranks of an IterableDataset that return the same samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import CERTAIN, LIKELY, Check
from dpkb_audit.checks._datasets import is_stream
from dpkb_audit.checks._generators import generators_of, state_of
from dpkb_audit.facts import Fact, LoaderSummary, group_facts
from dpkb_audit.object_contents import is_a
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import digest, leaves_of
from dpkb_audit.tensors import is_array, is_tensor

# At most this many samples of each stream are compared.
_MAX_SAMPLES = 64
# Behind a shuffle buffer, few of these are equal. So of this many samples, those whose digest starts with a 0
# are compared too: a sixteenth, but the same ones in each reader.
_MAX_PICKED_FROM = 1024
# At least this many picked samples must be equal.
_MIN_PICKED_EQUAL = 4
# At most this many epochs of one process are compared.
_MAX_EPOCHS = 3
# At least this many different samples must be equal: fewer can be equal by chance.
_MIN_EQUAL = 4
# How similar two streams are: a higher number means more similar.
_DIFFERENT, _SAME_SAMPLES, _SAME_TEXTS, _SAME_ORDER = range(4)


class _Stream:
    """The samples that a process reads from an IterableDataset in one epoch."""

    def __init__(self, dataset: Any, record: LoaderRecord | None) -> None:
        self.dataset, self.record = dataset, record
        # Digests of the first samples; path in a sample -> digests of its leaf there, if that is a text or a
        # sequence.
        self.samples: list[str] = []
        self.texts: dict[str, list[str]] = {}
        # Digests of all samples that were looked at, and whether one came twice.
        self._digests: set[str] = set()
        self.repeats = False
        self._starts = {name: state_of(generator) for name, generator in generators_of(dataset)}

    def add(self, sample: Any) -> None:
        """Add a sample."""
        text = digest(sample)
        self.repeats = self.repeats or text in self._digests
        self._digests.add(text)
        if len(self.samples) >= _MAX_SAMPLES:
            return
        self.samples.append(text)
        for path, leaf in leaves_of(sample):
            if _identifies_sample(leaf):
                self.texts.setdefault(path, []).append(digest(leaf))

    def is_complete(self) -> bool:
        """Whether further samples add nothing: samples that repeat are not picked."""
        return len(self.samples) >= _MAX_SAMPLES and (self.repeats or len(self._digests) >= _MAX_PICKED_FROM)

    def list_picked_digests(self) -> list[str]:
        """The digests that start with a 0."""
        return sorted(text for text in self._digests if text.startswith("0"))

    def list_used_generators(self) -> list[str]:
        """The generators from which numbers were drawn since the stream began, each with its first state."""
        return sorted(
            f"{name} {start}"
            for name, start in self._starts.items()
            if any(
                name == other and start != state_of(generator)
                for other, generator in generators_of(self.dataset)
            )
        )


class DP2(Check):
    description = "the samples that each worker and rank gets from an IterableDataset"
    fix = "in __iter__, take each record only if i % (world_size * num_workers) is this reader's number"

    _stream: _Stream | None = None
    _epochs = 0

    def on_worker_started(self, dataset: Any, collate: Any) -> None:
        self._begin(dataset, None)

    def on_epoch_started(self, record: LoaderRecord) -> None:
        self._finish()
        loader = record.loader
        if loader is not None and loader.num_workers == 0:
            self._begin(loader.dataset, record)

    def _begin(self, dataset: Any, record: LoaderRecord | None) -> None:
        self._finish()
        if not is_stream(dataset) or self._epochs >= _MAX_EPOCHS:
            return
        if record is not None and self.audit.world_size == 1:
            return  # there is no other reader to compare with
        self._epochs += 1
        self._stream = _Stream(dataset, record)

    def on_samples(self, dataset: Any, samples: Any, batch: Any) -> None:
        stream = self._stream
        if stream is None or stream.dataset is not dataset or stream.is_complete():
            return
        if not self.audit.can_look():
            return
        had_enough = len(stream.samples) >= _MAX_SAMPLES
        for sample in samples:
            stream.add(sample)
        # A worker may be killed before its stream ends.
        if stream.is_complete() or (not had_enough and len(stream.samples) >= _MAX_SAMPLES):
            self._note_stream(stream, ended=False)

    def on_stream_ended(self, dataset: Any, samples: int, dropped: int) -> None:
        if self._stream is not None and self._stream.dataset is dataset:
            self._note_stream(self._stream, ended=True)
            self._stream = None

    def on_worker_ended(self, dataset: Any) -> None:
        self._finish()

    def on_end(self) -> None:
        self._finish()

    def _finish(self) -> None:
        if self._stream is not None:
            self._note_stream(self._stream, ended=False)
        self._stream = None

    def _note_stream(self, stream: _Stream, ended: bool) -> None:
        from torch.utils.data import get_worker_info

        if len(stream.samples) < _MIN_EQUAL:
            return
        info, record = get_worker_info(), stream.record
        self.note(
            samples=stream.samples,
            texts=stream.texts,
            ended=ended,
            picked=[] if stream.repeats else stream.list_picked_digests(),
            epoch=self._epochs,
            drawn=stream.list_used_generators(),
            dataset=type(stream.dataset).__name__,
            workers=info.num_workers if info else 0,
            world_size=self.audit.world_size,
            number=record.number if record else None,
            loader_line=record.where if record else None,
            trained=record.trained if record else None,
            evaluated=record.evaluated if record else None,
        )

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        # The last note of a stream has the most samples, and the position among the loader's workers.
        streams: dict[tuple[int, int], Fact] = {}
        for fact in facts:
            loader = _loader_of(fact)
            if loader.trained or not loader.evaluated:  # each rank may evaluate on all samples on purpose
                streams[fact.pid, fact["epoch"]] = fact
        for group in group_facts(
            streams.values(),
            lambda fact: (_loader_of(fact).number, fact.worker_start(fact["workers"]), fact["epoch"]),
        ):
            yield from cls._find_alike(group)

    @classmethod
    def _find_alike(cls, group: list[Fact]) -> Iterator[dict[str, Any]]:
        pairs = [
            (likeness, a, b)
            for i, a in enumerate(group)
            for b in group[i + 1 :]
            for likeness in [_likeness(a, b)]
            if likeness
        ]
        if not pairs:
            return
        likeness, first, second = max(pairs, key=lambda pair: pair[0])
        readers = [fact for fact in group if fact is first or _likeness(first, fact)]
        ranks = len({fact.rank for fact in readers}) > 1
        names = [_name(fact, ranks) for fact in readers]
        number = max(len(set(first[kind]) & set(second[kind])) for kind in ("samples", "picked"))
        samples = {
            _SAME_ORDER: f"the same {number} samples in the same order",
            _SAME_TEXTS: "samples with the same texts or ids in the same order",
            _SAME_SAMPLES: f"{number} equal samples, in a different order",
        }[likeness]
        yield cls.finding(
            CERTAIN if likeness == _SAME_ORDER else LIKELY,
            f"{', '.join(names[:6])} got {samples} from {first['dataset']}: every reader reads the whole "
            "stream",
            where=_loader_of(first).where,
            dataset=first["dataset"],
            equal=number,
            readers=len(readers),
        )


def _loader_of(fact: Fact) -> LoaderSummary:
    """The loader of a worker, or the loader of the main process."""
    return fact.loader or LoaderSummary(
        fact["number"], fact["loader_line"], fact.pid, trained=fact["trained"], evaluated=fact["evaluated"]
    )


def _name(fact: Fact, ranks: bool) -> str:
    names = [f"rank {fact.rank or 0}"] if ranks else []
    return " ".join(names + ([f"worker {fact.worker}"] if fact.worker is not None else []))


def _identifies_sample(leaf: Any) -> bool:
    """Whether a part of a sample identifies it: a text, or a sequence such as token ids."""
    if is_tensor(leaf) or is_array(leaf):
        return len(leaf.shape) == 1 and 4 <= leaf.shape[0] <= 4096
    return is_a(leaf, (str, bytes))


def _likeness(a: Fact, b: Fact) -> int:
    """How similar two streams of the same epoch are."""
    if (a.rank, a.worker) == (b.rank, b.worker):
        return _DIFFERENT
    if a.rank == b.rank and set(a["drawn"]) & set(b["drawn"]):
        return _DIFFERENT  # they are equal because their random generators are equal: DP1
    length = min(len(a["samples"]), len(b["samples"]))
    if length < _MIN_EQUAL:
        return _DIFFERENT
    if a["samples"][:length] == b["samples"][:length]:
        are_distinct = len(set(a["samples"][:length])) >= max(_MIN_EQUAL, length // 2)
        return _SAME_ORDER if are_distinct else _DIFFERENT
    for path, texts in a["texts"].items():
        others = b["texts"].get(path, [])
        length = min(len(texts), len(others))
        if length >= 8 and texts[:length] == others[:length] and len(set(texts[:length])) > 0.9 * length:
            return _SAME_TEXTS
    # In a different order, only finite streams without repeats are judged: a draw with replacement repeats.
    mine, theirs = set(a["samples"]), set(b["samples"])
    if (
        a["ended"]
        and b["ended"]
        and len(mine) == len(a["samples"])
        and len(theirs) == len(b["samples"])
        and len(mine & theirs) >= max(2, min(len(mine), len(theirs)) // 4)
    ):
        return _SAME_SAMPLES
    fewest = min(len(a["picked"]), len(b["picked"]))
    equal = len(set(a["picked"]) & set(b["picked"]))
    return _SAME_SAMPLES if equal >= max(_MIN_PICKED_EQUAL, fewest // 8) else _DIFFERENT
