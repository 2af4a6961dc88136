"""What is shown under the traceback of an exception."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from dpkb.catalogue.load import load
from dpkb.catalogue.owners import STRONG_SCORE
from dpkb.diagnosis.conclusion import diagnose
from dpkb.diagnosis.match import Signatures
from dpkb.output.diagnosis import find_fix, render_signpost
from dpkb.output.versions import render_explanations
from dpkb.paths import find_catalogue_folders
from dpkb.text import cut_path, join_lines, name_file, wrap
from dpkb.versions import explain_names


def render_frames(frames: Sequence[Any], width: int, process: str = "") -> list[str]:
    """The lines with the tensors of the frames; none if there is no frame.

    frames: FailedFrame of the guest half. process: "rank 1", if it has a number.
    """
    lines = []
    for frame in frames:
        place = f", line {frame.line}" + (f": {frame.code}" if frame.code else "")
        # The traceback has the whole path. The code says more.
        place = cut_path(name_file(frame.file), max(width - 2 - len(place), width // 2)) + place
        lines.append("  in a layer of torch" if frame.is_layer else f"  {join_lines(place, width - 2)}")
        columns = max(map(len, frame.values))
        lines += [f"    {name:<{columns}}  {text}"[:width] for name, text in frame.values.items()]
    if lines:
        lines.insert(0, f"Where it failed{process and f' ({process})'}:")
    return lines


def render_entry(traceback: str, width: int) -> list[str]:
    """The lines with the entry that explains a traceback; none if no entry does."""
    catalogue = load(find_catalogue_folders(None))
    stream = BytesIO(traceback.encode("utf-8", "replace"))
    diagnosis = diagnose(stream, Signatures(catalogue, catalogue.signposts))
    history = explain_names(diagnosis.tail)
    lines = [render_explanations(history, False, width)] if history else []
    if diagnosis.matches:
        match = diagnosis.matches[0]
        fix = find_fix(catalogue.entries[match.id])
        # Many causes end in the line of a weak signature, and some failures hide others.
        start = "" if match.score >= STRONG_SCORE and not match.is_doubtful else "perhaps: "
        lines += [
            f"{match.id:<5} {wrap(start + match.title, width, '      ').lstrip()}",
            *([wrap(f"fix: {fix}", width, "      ")] if fix else []),
            f"      more: dpkb show {match.id}",
        ]
    elif post := diagnosis.signpost:
        lines.append(render_signpost(post, width))
    return lines
