"""Text -> the terms that search compares: words, parts of code names, pairs of Chinese characters.

Without regular expressions: compiling them would cost a search more than the search itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

STOP = frozenset(
    "a an and are as at be been but by can cannot did do does for from get got had has have how i if in "
    "into is it its me my of on or our so some such than that the their them then there these they "
    "this to was we what when where which while who why will with would you your 的 了 是 在 我 吗".split()
)
ENDINGS = (("sses", "ss"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))
# Every ASCII character that does not belong to a word becomes a space.
_TO_SPACE = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
MAX_TERMS = 400
MAX_LENGTH = 20_000


def terms(text: str) -> list[str]:
    """The terms of a text in order: code names whole and in parts, words stemmed, stop words left out."""
    all_terms: list[str] = []
    tokens = text.translate(_TO_SPACE).split() if text.isascii() else _tokens_of_any_script(text)
    for token in tokens:
        if is_unspaced(token[0]):
            all_terms += _pairs(token)
        else:
            all_terms += _word_terms(token)
    return all_terms


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question, in order, at most MAX_TERMS, of its first MAX_LENGTH characters."""
    return list(dict.fromkeys(terms(text[:MAX_LENGTH])))[:MAX_TERMS]


def neighbours(words: list[str]) -> list[str]:
    """Every two neighbouring terms, as one term."""
    return [f"{a} {b}" for a, b in pairwise(words)]


def stem(word: str) -> str:
    """A word without the endings that do not change its topic."""
    for ending, keep in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending == "s" and word.endswith(("ss", "us", "is")) and not word.endswith("pus"):
                return word
            word = word[: len(word) - len(ending)] + keep
            break
    # hanging/hang, dropped/drop, shared/share: double letters and a final e are removed.
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _tokens_of_any_script(text: str) -> Iterator[str]:
    """Words, and unbroken runs of scripts that are written without spaces."""
    from unicodedata import normalize

    token, unspaced = "", False
    for character in normalize("NFKC", text):
        inside = character.isalnum() or character == "_"
        if token and (not inside or is_unspaced(character) != unspaced):
            yield token
            token = ""
        if inside:
            token += character
            unspaced = is_unspaced(character)
    if token:
        yield token


def is_unspaced(character: str) -> bool:
    """Chinese, Japanese and Korean characters."""
    return character > "\u2e7f" and (
        character <= "\u9fff" or "\uac00" <= character <= "\ud7af" or "\uf900" <= character <= "\ufaff"
    )


def _word_terms(token: str) -> list[str]:
    words = _words_of(token)
    kept = []
    for word in map(str.lower, words):
        if word not in STOP and (len(word) > 1 or word.isdigit()) and not _is_noise(word):
            kept.append(stem(word))
    if len(words) > 1:
        whole = token.lower().strip("_")
        if not _is_noise(whole):
            return [whole, *kept]
    return kept


def _words_of(token: str) -> list[str]:
    """The words of a name: worker_init_fn, DataLoader, CUDAError."""
    pieces = [piece for piece in token.split("_") if piece]
    if token.islower() or token.isupper() or token.isdigit():
        return pieces
    words = []
    for piece in pieces:
        # The s of GPUs and FLOPs is not the start of a word.
        piece = piece[:-1] if piece[-1] == "s" and piece[:-1].isupper() else piece
        start = 0
        for i in range(1, len(piece)):
            before, here, after = piece[i - 1], piece[i], piece[i + 1 : i + 2]
            if here.isupper() and (not before.isupper() or (after and after.islower())):
                words.append(piece[start:i])
                start = i
        words.append(piece[start:])
    return words


def _is_noise(word: str) -> bool:
    """Numbers that name nothing: process ids, addresses. Exit codes and sizes stay."""
    return (len(word) > 4 and word.isdigit()) or word.startswith("0x")


def _pairs(run: str) -> list[str]:
    """Chinese, Japanese and Korean are written without spaces: each two characters are a term."""
    return [a + b for a, b in pairwise(run)] if len(run) > 1 else [run]
