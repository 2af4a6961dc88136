"""What the frames of a traceback say whose last line is missing.

Logs are cut: by a terminal, by a form with a limit of characters, by a process that is killed while it
writes. A few functions of torch are on the stack of one failure, or nearly so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# The line that ends a traceback.
LAST_LINE = re.compile(r"(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Interrupt|Exit|Warning|Killed)\b(?::|\s*$)")
# An exception of any name, where it follows a frame.
OTHER = re.compile(r"(?:\w+\.)*[A-Z]\w*(?:: |$)")
# One frame: as Python, IPython and older IPython write it. Markdown swallows a function `<module>`.
FRAME = re.compile(r'(?:", line \d+, in |\.py(?::\d+)?,? in )[\w<>]+|", line \d+, in$')
RAISE = "raise "


@dataclass(frozen=True)
class Rule:
    """Frames, or the source of the last one, that lead to these entries; the first is the most likely."""

    pattern: str
    ids: tuple[str, ...]
    # How many frames may be inside it.
    inside: int = 2


RULES = (
    Rule(r"in _verify_batch_size\b", ("DP8",)),
    Rule(r"in (?:default_collate|collate_tensor_fn)\b", ("DP4", "DP23")),
    Rule(r"in (?:_new_shared|_new_using_f\w+|_share_f\w+_cpu_?|share_memory_)\b", ("DP15", "DP20")),
    Rule(r"in (?:recvfds|recv_handle)\b", ("DP20",)),
    Rule(r"in _error_if_any_worker_fails\b|signal_handling\.py.* in handler\b", ("Q4", "DP15", "U9")),
    Rule(r"torch[\\/]_utils\.py.* in reraise\b", ("Q4",), 0),
    Rule(r"transformers[\\/]trainer\.py.* in compute_loss\b", ("H1",), 0),
    Rule(r"in _try_get_data\b", ("Q4", "DP15", "U9"), 0),
    # The loader raises what a sample, or its worker, has raised.
    Rule(r"_process_(?:data|next_batch)\b|data\.reraise\(", ("Q4",), 1),
    Rule(r"utils[\\/]data[\\/]dataloader\.py.* in (?:_next_data|(?:__)?next(?:__)?)\b", ("Q4", "DP7"), 0),
    # A worker process is started.
    Rule(r"dataloader\.py.* in (?:_get_iterator|(?:__)?(?:iter|init)(?:__)?)\b|DataLoaderIter\(self\)$",
         ("DP19", "DP6"), 0),
    Rule(r"multi_threaded_augmenter\.py.* in |__get_next_item\(", ("Q4",), 1),
    Rule(r"popen_(?:spawn_\w+|forkserver)\.py.* in (?:__init__|_launch)\b", ("DP6", "DP19"), 1),
    Rule(r"in _fixup_main_from_path\b", ("DP19",), 40),
    Rule(r"in (?:nll_loss\w*|cross_entropy)\b|\bF\.(?:cross_entropy|nll_loss)\(", ("O14", "DP22"), 0),
    Rule(r"in binary_cross_entropy\b|\bF\.binary_cross_entropy\(", ("S10",), 0),
    Rule(r"functional\.py.* in embedding\b|\bF\.embedding\(", ("S2", "DP22"), 0),
    Rule(r"functional\.py.* in linear\b|modules[\\/]linear\.py.* in forward\b", ("S1", "P3", "S6"), 0),
    Rule(r"rnn\.py.* in (?:check_input|check_hidden_size)\b", ("S1", "S4"), 1),
    Rule(r"self\.reducer\.(?:prepare_for_backward|_rebuild_buckets)\(", ("D8",)),
    Rule(r"torch[\\/]_?optim[\\/]optimizer\.py.* in add_param_group\b", ("O2",), 0),
    Rule(r"torch[\\/](?:cuda[\\/])?amp[\\/]grad_scaler\.py.* in (?:unscale_|_unscale_grads_)", ("P1",), 0),
    Rule(r"module\.py.* in load_state_dict\b", ("C18", "O20"), 0),
    Rule(r"PyTorchFileReader\(|serialization\.py.* in _legacy_load\b", ("C30",), 0),
    Rule(r"_get_wo_message\(", ("C35", "C30"), 0),
    Rule(r"rendezvous\.py.* in (?:_tcp_rendezvous_handler|_create_c10d_store)\b", ("D32", "D30"), 0),
    Rule(r"in pad_sequence\b", ("DP4",), 0),
    Rule(r"torchvision[\\/]transforms.* in normalize\b", ("DP13", "DP12"), 0),
)


@dataclass(frozen=True)
class CutTraceback:
    """A traceback at the end of a log, without its last line."""

    # The frame, by its place among the lines, that a rule fits, and that rule.
    frame: int | None
    rule: Rule | None
    # The places of lines of source that raise; the statement may take several.
    raising: tuple[int, ...]


def cut_traceback(lines: Sequence[str]) -> CutTraceback | None:
    """The traceback that these lines end in, if its last line is missing. lines: without prefixes."""
    frames = [i for i, line in enumerate(lines) if FRAME.search(line)]
    after_frame = {i + below for i in frames for below in (1, 2, 3)}
    last = max((i for i, line in enumerate(lines)
                if LAST_LINE.match(line) or (i in after_frame and OTHER.match(line))), default=-1)
    frames = [i for i in frames if i > last]
    if not frames:
        return None
    raising: list[int] = []
    for i in range(frames[0], len(lines)):
        if lines[i].startswith(RAISE) or (raising and raising[-1] == i - 1 and not FRAME.search(lines[i])):
            raising.append(i)
    for inside, place in enumerate(reversed(frames)):
        # The source of a frame is below it.
        source = lines[place + 1] if place + 1 < len(lines) else ""
        for rule in RULES:
            if inside <= rule.inside and (re.search(rule.pattern, lines[place])
                                          or (not inside and re.search(rule.pattern, source))):
                return CutTraceback(place, rule, tuple(raising))
    return CutTraceback(None, None, tuple(raising))
