"""Text -> the terms that search compares: words, parts of code names, pairs of Chinese characters.

No regular expressions are used: compiling them would take longer than the search itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

STOP_WORDS = frozenset(
    "a an and are as at be been but by can cannot did do does for from get got had has have how i if in "
    "into is it its me my of on or our so some such than that the their them then there these they "
    "this to was we what when where which while who why will with would you your".split()
)
# Chinese characters that say little and stand between words: a pair with one of them is no word. Measured with
# the 1,034 Chinese questions of the entries, each asked of an index without it: 628 find their entry first
# (612 without this), and 852 among the first three (831). Words such as "not" would cost reports of others.
PARTICLES = frozenset("的了吗呢吧啊我你他它们是在和与或但就都也很被把请这那后时会上下中里个要让给为从到对说")
# Endings and their replacements. Only the first ending that a word has is replaced.
ENDINGS = (("sses", "ss"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))
# A name in two cases is split if one of its parts has this many letters.
MIN_PART = 3
# Every ASCII character that does not belong to a word becomes a space.
_SEPARATORS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
# Limits for a question, so that a pasted log does not take long.
MAX_TERMS = 400
MAX_CHARACTERS = 20_000


def split_into_terms(text: str) -> list[str]:
    """The terms of a text in order: code names whole and in parts, words stemmed, stop words left out."""
    all_terms: list[str] = []
    tokens = text.translate(_SEPARATORS).split() if text.isascii() else _split_any_script(text)
    for token in tokens:
        if is_unspaced(token[0]):
            all_terms += _pair_characters(token)
        else:
            all_terms += _split_word(token)
    return all_terms


def split_question(text: str) -> list[str]:
    """The distinct terms at the start of a question, in order: see MAX_TERMS and MAX_CHARACTERS.

    Empty if all of them are stop words, which say nothing without other words.
    """
    distinct = list(dict.fromkeys(split_into_terms(text[:MAX_CHARACTERS])))[:MAX_TERMS]
    return [] if STOP_WORDS.issuperset(distinct) else distinct


def pair_neighbours(words: list[str]) -> list[str]:
    """Every two neighbouring terms, as one term."""
    return [f"{a} {b}" for a, b in pairwise(words)]


def stem(word: str) -> str:
    """A word without the endings that do not change its topic."""
    for ending, replacement in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending == "s" and word.endswith(("ss", "us", "is")) and not word.endswith("pus"):
                return word
            word = word[: len(word) - len(ending)] + replacement
            break
    # dropped/drop, shared/sharing: one of two equal letters and a final e are removed.
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _split_any_script(text: str) -> Iterator[str]:
    """Words, and runs of characters of scripts that are written without spaces."""
    from unicodedata import normalize

    token, unspaced = "", False
    for character in normalize("NFKC", text):
        is_in_token = (character.isalnum() or character == "_") and character not in PARTICLES
        if token and (not is_in_token or is_unspaced(character) != unspaced):
            yield token
            token = ""
        if is_in_token:
            token += character
            unspaced = is_unspaced(character)
    if token:
        yield token


def is_unspaced(character: str) -> bool:
    """Whether a character is Chinese, Japanese or Korean: these are written without spaces."""
    return character > "\u2e7f" and (
        character <= "\u9fff" or "\uac00" <= character <= "\ud7af" or "\uf900" <= character <= "\ufaff"
    )


def _split_word(token: str) -> list[str]:
    words = _split_name(token)
    kept = []
    for word in map(str.lower, words):
        if word not in STOP_WORDS and (len(word) > 1 or word.isdigit()) and not _is_noise(word):
            kept.append(stem(word))
    if len(words) > 1:
        whole = token.lower().strip("_")
        if not _is_noise(whole):
            return [whole, *kept]
    return kept


def _split_name(token: str) -> list[str]:
    """The words of a name: worker_init_fn, DataLoader, CUDAError."""
    pieces = [piece for piece in token.split("_") if piece]
    if token.islower() or token.isupper() or token.isdigit():
        return pieces
    words = []
    for piece in pieces:
        # The s of GPUs and FLOPs is not the start of a word.
        piece = piece[:-1] if piece[-1] == "s" and piece[:-1].isupper() else piece
        start, parts = 0, []
        for i in range(1, len(piece)):
            before, here, after = piece[i - 1], piece[i], piece[i + 1 : i + 2]
            if here.isupper() and (not before.isupper() or (after and after.islower())):
                parts.append(piece[start:i])
                start = i
        parts.append(piece[start:])
        # Lo and RA are no words of LoRA.
        words += parts if max(map(len, parts)) >= MIN_PART else [piece]
    return words


def _is_noise(word: str) -> bool:
    """Whether a word is a process id or an address. Exit codes and sizes are no noise."""
    return (len(word) > 4 and word.isdigit()) or word.startswith("0x")


def _pair_characters(run: str) -> list[str]:
    """Every two neighbouring characters of a text that is written without spaces."""
    return [a + b for a, b in pairwise(run)] if len(run) > 1 else [run]
