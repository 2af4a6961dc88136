"""Dumps of torch's flight recorder and of py-spy, which are files of their own and no logs."""

from __future__ import annotations

import io
import json
from typing import Any

from dpkb.diagnosis.evidence import NO_COLLECTIVE
from dpkb.diagnosis.failures import Rank
from dpkb.diagnosis.stacks import Frame, Stack, count_elements, read_spied, shorten_file
from dpkb.errors import DpkbError

# The dump of 20,000 collectives has 20 MB.
MAX_BYTES = 256 << 20
# How a pickle starts, in any protocol that torch writes; and what is in a dump of either kind.
_PICKLE = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))


def _load_pickle(data: bytes) -> Any:
    """Numbers, texts, lists and dicts of a pickle. Raises DpkbError if it would import or run something."""
    import pickle  # takes memory that a diagnosis of logs does not need

    class PlainUnpickler(pickle._Unpickler):  # the one in C can be asked for gigabytes by a few bytes
        def find_class(self, module: str, name: str) -> Any:
            raise DpkbError(f"is a pickle that would run {module}.{name}, so it was not read")

    return PlainUnpickler(io.BytesIO(data)).load()


def is_dump(start: bytes) -> bool:
    """Whether a file that starts like this is a dump of a flight recorder, or the JSON of py-spy."""
    text = start.lstrip()
    return (
        start.startswith(_PICKLE)
        or (text.startswith(b"[") and b'"thread_id"' in text)
        or (text.startswith(b"{") and b'"pg_config"' in text)
    )


def read_dump(data: bytes, file: str, rank: Rank | None) -> list[Stack]:
    """The stacks in a dump. Raises DpkbError if it is none, or is cut."""
    if len(data) > MAX_BYTES:
        raise DpkbError("the dump is too large to be read")
    try:
        dump = _load_pickle(data) if data.startswith(_PICKLE) else json.loads(data)
        if isinstance(dump, list):
            return read_spied(dump, file, rank)
        return [_read_last(dump["entries"], file, rank)] if dump["entries"] else []
    except DpkbError:
        raise
    except Exception as error:  # a pickle that is cut or forged can raise anything
        raise DpkbError(f"is no dump of a flight recorder or of py-spy, or is cut: {error}") from None


def _read_last(entries: list[dict[str, Any]], file: str, rank: Rank | None) -> Stack:
    """The collective that a rank waits in: the first that has not ended, else its last."""
    waiting = [e for e in entries if not e.get("retired") and e["state"] != "completed"]
    entry = waiting[0] if waiting else entries[-1]
    frames = tuple(Frame(f["name"], shorten_file(f["filename"]), int(f["line"])) for f in entry["frames"])
    name = entry["profiling_name"].split(":")[-1] if waiting else NO_COLLECTIVE
    work = (int(entry["collective_seq_id"]), name, count_elements(entry["input_sizes"]))
    return Stack(rank if rank is not None else file, frames if waiting else (), 1, file, work)
