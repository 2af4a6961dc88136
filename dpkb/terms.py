"""Text -> the terms that search compares: words, parts of code names, pairs of Chinese characters."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_TOKEN = re.compile(
    r"[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff][\w]*|_+\w+|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STOP = frozenset(
    "a an and are as at be been but by can cannot did do does for from get got had has have how i if in "
    "into is it its me my of on or our so some such than that the their them then there these they "
    "this to was we what when where which while who why will with would you your 的 了 是 在 我 吗".split()
)
MAX_TERMS = 400


def terms(text: str) -> list[str]:
    """The terms of a text in order: code names whole and in parts, words stemmed, stop words left out."""
    found: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text)):
        if _CJK.match(token):
            found += _pairs(token)
        else:
            found += _word_terms(token)
    return found


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question and its neighbouring pairs, at most MAX_TERMS."""
    words = terms(text[:20_000])
    return list(dict.fromkeys(words + neighbours(words)))[:MAX_TERMS]


def neighbours(words: list[str]) -> list[str]:
    """Each two terms that stand side by side, as one term."""
    return [f"{a} {b}" for a, b in pairwise(words)]


def stem(word: str) -> str:
    """A word without the endings that do not change what it is about."""
    for ending, keep in (("sses", "ss"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                return word
            word = word[: len(word) - len(ending)] + keep
            break
    # hanging/hang, dropped/drop, shared/share: double letters and a last e go.
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _word_terms(token: str) -> list[str]:
    parts = [part for piece in token.split("_") for part in _CAMEL.split(piece) if part]
    words = [part.lower() for part in parts]
    kept = [stem(w) for w in words if w not in _STOP and (len(w) > 1 or w.isdigit()) and not _is_noise(w)]
    whole = token.lower().strip("_")
    return [whole, *kept] if len(parts) > 1 and not _is_noise(whole) else kept


def _is_noise(word: str) -> bool:
    """Numbers that name nothing: process ids, addresses. Exit codes and sizes stay."""
    return (word.isdigit() and len(word) > 4) or (word[0] == "0" and word[1:2] == "x")


def _pairs(run: str) -> list[str]:
    """Chinese, Japanese and Korean are written without spaces: each two characters are a term."""
    return [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]
