"""A diagnosis as text or JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dpkb.catalogue.load import Catalogue
from dpkb.diagnosis.conclusion import Diagnosis, Match
from dpkb.diagnosis.evidence import list_ranks
from dpkb.diagnosis.failures import Failure, Rank
from dpkb.diagnosis.match import MatchedLine
from dpkb.diagnosis.stacks import Stack
from dpkb.model import Certainty, Entry, Signpost
from dpkb.output.documents import finding_fields
from dpkb.output.search import EMPHASIS, render_answer_lines
from dpkb.output.terminal import Ansi, choose_ansi_codes
from dpkb.text import cut_path, join_lines, wrap

# What fits on one screen: lines of the log (fewer where the first error is shown above), reasons, others.
_MAX_LINES, _MAX_RANK_LINES, _MAX_SENTENCES, _MAX_OTHERS = 3, 1, 2, 2
_MAX_PATH, _MAX_RANK_ROWS = 40, 8
# The stacks of a thousand ranks would hide everything else.
_MAX_JSON_STACKS = 64
_CPP_PLACE = re.compile(r"\[(?:[EWIF]\d{4} [^\]]*|/\S*\.cc:\d+|\.\./\S*\.cc:\d+)\] |(?<=\] )\[Rank \d+\] ")
_BELOW = re.compile(r"\bbelow\b(?! \d)")
_FIX = re.compile(r"^- \*\*Fix:\*\* (.*?)(?=\n\n|\n- |\n```|\Z)", re.MULTILINE | re.DOTALL)


def diagnosis_fields(
    diagnosis: Diagnosis, catalogue: Catalogue, unreadable: Mapping[str, str] = MappingProxyType({})
) -> dict[str, object]:
    """The JSON fields of `dpkb diagnose`. Without an entry that explains the log, "matches" is empty.

    unreadable: the logs that could not be read, and why.
    """
    next_step = diagnosis.next_step
    return {
        "matches": [
            {
                **finding_fields(
                    m.id,
                    m.title,
                    Certainty.LIKELY,
                    m.evidence[0].text,
                    find_fix(catalogue.entries[m.id]),
                    _place_fields(m.evidence[0]),
                    [{**_place_fields(e), "text": e.text, "signature": e.signature} for e in m.evidence],
                ),
                "score": m.score,
                "because": list(m.because),
            }
            for m in diagnosis.matches
        ],
        "hints": [
            {"ids": list(hint.ids), "certainty": "hint", "message": hint.message, "line": hint.line}
            for hint in diagnosis.hints
        ],
        "next": {"id": next_step.id, "advice": next_step.advice} if next_step else None,
        "signpost": signpost_fields(diagnosis.signpost),
        "first_error": _failure_fields(diagnosis.first) if diagnosis.first else None,
        "consequences": [
            {**_failure_fields(failure), "consequence_of": _place_fields(diagnosis.first)}
            for failure in diagnosis.consequences
            if diagnosis.first
        ],
        "ranks": [
            {
                "rank": end.rank,
                "role": end.role,
                "file": end.failure.file or None if end.failure else None,
                "line": end.failure.line if end.failure else None,
                "error": end.failure.text if end.failure else None,
                "last_line": end.last_line,
            }
            for end in diagnosis.ranks
        ],
        "stacks": [
            {
                **_place_fields(s),
                "process": s.owner,
                "worker": s.is_worker,
                "frames": list(map(str, s.frames)),
            }
            for s in diagnosis.stacks[:_MAX_JSON_STACKS]
        ],
        "differences": list(diagnosis.differences),
        "unreadable": dict(unreadable),
    }


def _place_fields(place: Failure | MatchedLine | Stack) -> dict[str, object]:
    """The line of the log; with the file and the rank, if these are known."""
    fields: dict[str, object] = {"line": place.line}
    if place.file:
        fields["file"] = place.file
    if not isinstance(place, Stack) and place.rank is not None:
        fields["rank"] = place.rank
    return fields


def _failure_fields(failure: Failure) -> dict[str, object]:
    code = {"file": failure.code[0], "line": failure.code[1]} if failure.code else None
    return {**_place_fields(failure), "error": failure.text, "code": code}


def find_fix(entry: Entry) -> str | None:
    """The line of the page that says what to do, for a reader who does not see the page."""
    fix = _FIX.search(entry.find_section("In short"))
    text = _BELOW.sub("on the page", EMPHASIS.sub(r"\1", fix[1])) if fix else ""
    return _name_the_code(join_lines(text), entry) if text else None


def render_diagnosis(diagnosis: Diagnosis, catalogue: Catalogue, colour: bool, width: int = 100) -> str:
    """One screen: the first error, the entry that explains it in short, and what would speak for another."""
    codes = choose_ansi_codes(colour)
    bold, dim, end = codes
    lines = _render_ranks(diagnosis, width, codes) + _render_stacks(diagnosis, width, codes)
    if not diagnosis.matches:
        return "\n".join([*lines, _render_no_match(diagnosis, catalogue, width, codes)])
    match, *others = diagnosis.matches
    lines.append(f"{bold}{match.id:<5} {wrap(match.title, width, '      ').lstrip()}{end}")
    lines += [wrap(f"because {text}", width, "      ") for text in match.because[:_MAX_SENTENCES]]
    texts = {(e.file, e.line): e for e in match.evidence}  # several signatures may match the same line
    for line in list(texts.values())[: _MAX_RANK_LINES if diagnosis.ranks else _MAX_LINES]:
        shown = join_lines(f"{_describe_place(line)}: {_shorten(line.text)}", max(width - 6, 20))
        lines.append(f"{dim}      {shown}{end}")
    if not diagnosis.ranks and (place := _describe_code(diagnosis.first)):
        lines.append(f"      {place}")
    lines += ["", *render_answer_lines(_find_answer(catalogue.entries[match.id]), width)]
    lines += _render_others(match, others, catalogue, width, codes)
    if diagnosis.hints:
        lines += ["", *_render_hints(diagnosis, catalogue, width, codes)]
    lines.append(f"\n{dim}More: dpkb show {match.id}{end}")
    return "\n".join(lines)


def _find_answer(entry: Entry) -> str:
    """What the page says in short, without its code."""
    return _name_the_code(entry.find_section("In short").split("\n```")[0].strip(), entry)


def _name_the_code(text: str, entry: Entry) -> str:
    """A text that would end before its code, which is left out."""
    return f"{text[:-1]} (dpkb show {entry.id} has the code)." if text.endswith(":") else text


def _render_ranks(diagnosis: Diagnosis, width: int, codes: Ansi) -> list[str]:
    """Which rank failed first, which followed, which are silent; nothing for a single process."""
    if not diagnosis.ranks or (diagnosis.stacks and not diagnosis.first):
        return []
    bold, dim, end = codes
    silent, lines = [e.rank for e in diagnosis.ranks if e.role == "silent"], []
    if diagnosis.first:
        text = f"{list_ranks([diagnosis.ranks[0].rank]).capitalize()} failed first: {_shorten(diagnosis.first.text)}"
        lines = [f"{bold}{join_lines(text, width)}{end}"]
        places = (_describe_place(diagnosis.first), _describe_code(diagnosis.first))
        lines.append(wrap("; ".join(filter(None, places)), width, "      "))
    else:
        lines = [f"{bold}No rank wrote an error of its own: they lost a peer, or waited for one.{end}"]
    by_error: dict[str, list[Rank]] = {}
    for rank_end in diagnosis.ranks:
        if rank_end.role == "followed" and rank_end.failure:
            by_error.setdefault(re.sub(r"\d+", "", rank_end.failure.text[:60]), []).append(rank_end.rank)
    texts = {e.rank: e.failure.text for e in diagnosis.ranks if e.failure}
    for ranks in list(by_error.values())[:_MAX_LINES]:
        followed = join_lines(f"{list_ranks(ranks)} followed: {_shorten(texts[ranks[0]])}", width - 6)
        lines.append(f"{dim}      {followed}{end}")
    if silent:
        where = "" if diagnosis.first else ": ended, killed, or still waiting"
        lines.append(wrap(f"{list_ranks(silent)} wrote no error{where}", width, "      "))
    for rank_end in diagnosis.ranks:
        says_little = rank_end.role == "silent" or (rank_end.failure and rank_end.failure.is_exit)
        if rank_end.last_line and says_little and (not diagnosis.first or rank_end.role == "first"):
            text = f"the last line of {list_ranks([rank_end.rank])}: {rank_end.last_line}"
            lines.append(f"{dim}      {join_lines(text, width - 6)}{end}")
    return [*lines[:_MAX_RANK_ROWS], ""]


def _render_stacks(diagnosis: Diagnosis, width: int, codes: Ansi) -> list[str]:
    """How the processes of a job that hangs differ, and where those are that wait for nobody."""
    if not diagnosis.stacks:
        return []
    bold, _, end = codes
    workers = dict.fromkeys(stack.describe() for stack in diagnosis.stacks if stack.is_busy)
    texts = [*diagnosis.differences, *workers][:_MAX_LINES]
    return [*(f"{bold}{wrap(text, width, '')}{end}" for text in texts), ""]


def _shorten(text: str) -> str:
    """A line without the places in C++ that torch writes into it."""
    return _CPP_PLACE.sub("", text)


def _describe_place(place: Failure | MatchedLine) -> str:
    """The line of the log, with its file if there are several."""
    file = cut_path(place.file, _MAX_PATH)
    return f"{file}, line {place.line}" if file else f"line {place.line}"


def _describe_code(failure: Failure | None) -> str:
    """The line of the user's code that failed."""
    return f"in your code: {failure.code[0]}, line {failure.code[1]}" if failure and failure.code else ""


def _render_hints(diagnosis: Diagnosis, catalogue: Catalogue, width: int, codes: Ansi) -> list[str]:
    bold, _, end = codes
    lines = [f"{bold}What the numbers in the log suggest (a hint){end}"]
    for hint in diagnosis.hints:
        lines.append(wrap(hint.message, width, "  "))
        lines += [
            f"      {entry_id:<5} {join_lines(catalogue.entries[entry_id].title, max(width - 12, 20))}"
            for entry_id in hint.ids
        ]
    return lines


def _render_no_match(diagnosis: Diagnosis, catalogue: Catalogue, width: int, codes: Ansi) -> str:
    _, dim, end = codes
    lines = ["No entry of the catalogue explains this log."]
    if not diagnosis.ranks and (first := diagnosis.first):
        lines.append(
            f"{dim}{wrap(join_lines(f'The error in {_describe_place(first)}: {first.text}', 200), width, '')}{end}"
        )
        if place := _describe_code(first):
            lines.append(f"The last line {place}")
    elif not diagnosis.ranks and diagnosis.errors:
        lines.append(
            f"{dim}{wrap('The last error in the log: ' + join_lines(diagnosis.errors[-1], 200), width, '')}{end}"
        )
    if diagnosis.hints:
        lines += ["", *_render_hints(diagnosis, catalogue, width, codes), ""]
    if post := diagnosis.signpost:
        lines.append(render_signpost(post, width))
        lines.append(f"{dim}{post.source.title}: {post.source.url}{end}")
    if diagnosis.next_step:
        step = diagnosis.next_step
        lines.append(wrap(f"Collect next: {step.advice} (dpkb show {step.id})", width, ""))
    lines.append(f"{dim}For a symptom in your own words: dpkb search WORDS{end}")
    return "\n".join(lines)


def signpost_fields(post: Signpost | None) -> dict[str, str] | None:
    """The JSON fields of a signpost."""
    return {"kind": post.kind, "look": post.look, "source": post.source.url} if post else None


def render_signpost(post: Signpost, width: int) -> str:
    """What a message of the hardware, the driver or an installation is about, and what to look at first."""
    return wrap(f"This is about {post.kind} (not reproduced by dpkb): {post.look}", width, "")


def _render_others(
    first: Match, others: Sequence[Match], catalogue: Catalogue, width: int, codes: Ansi
) -> list[str]:
    """Other entries that may explain the log, or are often confused with the first, and what shows it."""
    bold, dim, end = codes
    # A check may say "this entry", which is only clear on the entry's page.
    checks = {
        other.id: other.check.replace("this entry", first.id)
        for other in catalogue.entries[first.id].confused_with
    }
    ids = [match.id for match in others] or [i for i in checks if i in catalogue.entries]
    lines = []
    for other in ids[:_MAX_OTHERS]:
        back = (s.check.replace("this entry", other) for s in catalogue.entries[other].confused_with)
        own = [s.id for s in catalogue.entries[other].confused_with]
        check = checks.get(other) or dict(zip(own, back, strict=True)).get(first.id, "")
        lines.append(f"  {other:<5} {join_lines(catalogue.entries[other].title, max(width - 8, 20))}")
        lines += [wrap(check, width, "      ")] if check else []
    if len(ids) > _MAX_OTHERS and others:
        lines.append(f"{dim}  Also possible: {', '.join(ids[_MAX_OTHERS:])}{end}")
    heading = "Which of these is it?" if others else "Or is it another entry?"
    return ["", f"{bold}{heading}{end}", *lines] if lines else []
