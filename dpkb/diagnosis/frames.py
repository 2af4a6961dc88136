"""Recognises a failure by the frames of its traceback, if the last line of the traceback is missing.

Logs are cut by terminals, by forms that limit the number of characters, and by the end of a process that is
killed while it writes. A few functions of torch are on the stack of only one failure, or of very few.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# The line that ends a traceback.
LAST_LINE = re.compile(r"(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Interrupt|Exit|Warning|Killed)\b(?::|\s*$)")
# Directly after a frame an exception may have any name.
LAST_LINE_AFTER_FRAME = re.compile(r"(?:\w+\.)*[A-Z]\w*(?:: |$)")
# A frame as Python, IPython and older IPython write it. In Markdown `<module>` may be lost after the `in`.
FRAME = re.compile(r'(?:", line \d+, in |\.py(?::\d+)?,? in )[\w<>]+|", line \d+, in$')
# The source of a frame that raises starts with this.
RAISE = "raise "


@dataclass(frozen=True)
class FrameRule:
    """A pattern for a frame, or for the source of the last frame, and the entries that it suggests."""

    pattern: str
    # The most likely entry first.
    ids: tuple[str, ...]
    # At most this many frames may follow the frame.
    max_inner: int = 2


RULES = (
    FrameRule(r"in _verify_batch_size\b", ("DP8",)),
    FrameRule(r"in (?:default_collate|collate_tensor_fn)\b", ("DP4", "DP23")),
    FrameRule(r"in (?:_new_shared|_new_using_f\w+|_share_f\w+_cpu_?|share_memory_)\b", ("DP15", "DP20")),
    FrameRule(r"in (?:recvfds|recv_handle)\b", ("DP20",)),
    FrameRule(r"in _error_if_any_worker_fails\b|signal_handling\.py.* in handler\b", ("Q4", "DP15", "U9")),
    FrameRule(r"torch[\\/]_utils\.py.* in reraise\b", ("Q4",), 0),
    FrameRule(r"transformers[\\/]trainer\.py.* in compute_loss\b", ("H1",), 0),
    FrameRule(r"in _try_get_data\b", ("Q4", "DP15", "U9"), 0),
    # The loader raises an error again that a sample or a worker raised.
    FrameRule(r"_process_(?:data|next_batch)\b|data\.reraise\(", ("Q4",), 1),
    FrameRule(
        r"utils[\\/]data[\\/]dataloader\.py.* in (?:_next_data|(?:__)?next(?:__)?)\b", ("Q4", "DP7"), 0
    ),
    # A worker process is started.
    FrameRule(
        r"dataloader\.py.* in (?:_get_iterator|(?:__)?(?:iter|init)(?:__)?)\b|DataLoaderIter\(self\)$",
        ("DP19", "DP6"),
        0,
    ),
    FrameRule(r"multi_threaded_augmenter\.py.* in |__get_next_item\(", ("Q4",), 1),
    FrameRule(r"popen_(?:spawn_\w+|forkserver)\.py.* in (?:__init__|_launch)\b", ("DP6", "DP19"), 1),
    FrameRule(r"in _fixup_main_from_path\b", ("DP19",), 40),
    FrameRule(r"in (?:nll_loss\w*|cross_entropy)\b|\bF\.(?:cross_entropy|nll_loss)\(", ("O14", "DP22"), 0),
    FrameRule(r"in binary_cross_entropy\b|\bF\.binary_cross_entropy\(", ("S10",), 0),
    FrameRule(r"functional\.py.* in embedding\b|\bF\.embedding\(", ("S2", "DP22"), 0),
    FrameRule(r"functional\.py.* in linear\b|modules[\\/]linear\.py.* in forward\b", ("S1", "P3", "S6"), 0),
    FrameRule(r"rnn\.py.* in (?:check_input|check_hidden_size)\b", ("S1", "S4"), 1),
    FrameRule(r"self\.reducer\.(?:prepare_for_backward|_rebuild_buckets)\(", ("D8",)),
    FrameRule(r"torch[\\/]_?optim[\\/]optimizer\.py.* in add_param_group\b", ("O2",), 0),
    FrameRule(
        r"torch[\\/](?:cuda[\\/])?amp[\\/]grad_scaler\.py.* in (?:unscale_|_unscale_grads_)", ("P1",), 0
    ),
    FrameRule(r"module\.py.* in load_state_dict\b", ("C18", "O20"), 0),
    FrameRule(r"PyTorchFileReader\(|serialization\.py.* in _legacy_load\b", ("C30",), 0),
    FrameRule(r"_get_wo_message\(", ("C35", "C30"), 0),
    FrameRule(r"rendezvous\.py.* in (?:_tcp_rendezvous_handler|_create_c10d_store)\b", ("D32", "D30"), 0),
    FrameRule(r"in pad_sequence\b", ("DP4",), 0),
    FrameRule(r"torchvision[\\/]transforms.* in normalize\b", ("DP13", "DP12"), 0),
)


@dataclass(frozen=True)
class CutTraceback:
    """A traceback at the end of a log, without its last line."""

    # The index of the line with the innermost frame that a rule matches, and that rule.
    frame: int | None
    rule: FrameRule | None
    # The indices of the lines of `raise` statements.
    raise_lines: tuple[int, ...]


def find_cut_traceback(lines: Sequence[str]) -> CutTraceback | None:
    """The traceback at the end of these lines, if its last line is missing. lines: without prefixes."""
    frames = [i for i, line in enumerate(lines) if FRAME.search(line)]
    after_frame = {i + below for i in frames for below in (1, 2, 3)}
    last_line = max(
        (
            i
            for i, line in enumerate(lines)
            if LAST_LINE.match(line) or (i in after_frame and LAST_LINE_AFTER_FRAME.match(line))
        ),
        default=-1,
    )
    frames = [i for i in frames if i > last_line]
    if not frames:
        return None
    frame, rule = _find_innermost_match(lines, frames)
    return CutTraceback(frame, rule, _raise_lines(lines, frames[0]))


def _find_innermost_match(lines: Sequence[str], frames: list[int]) -> tuple[int | None, FrameRule | None]:
    """The innermost frame that a rule matches, and that rule. frames: the indices of lines."""
    for inner_count, frame in enumerate(reversed(frames)):
        # The source of a frame is below it.
        source = lines[frame + 1] if frame + 1 < len(lines) else ""
        for rule in RULES:
            if inner_count <= rule.max_inner and (
                re.search(rule.pattern, lines[frame])
                or (inner_count == 0 and re.search(rule.pattern, source))
            ):
                return frame, rule
    return None, None


def _raise_lines(lines: Sequence[str], start: int) -> tuple[int, ...]:
    """The indices of the lines of `raise` statements, which may have several lines, from `start` on."""
    found: list[int] = []
    for i in range(start, len(lines)):
        if lines[i].startswith(RAISE) or (found and found[-1] == i - 1 and not FRAME.search(lines[i])):
            found.append(i)
    return tuple(found)
