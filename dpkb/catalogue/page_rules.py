"""The rules for an entry's page: its length, code from its scripts, a mention of every search word."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterator

from dpkb.catalogue import body
from dpkb.catalogue.body import CodeBlock
from dpkb.model import Entry, Problem, Section
from dpkb.paths import SEARCH_SUFFIX, file_beside
from dpkb.patterns import javascript, matching
from dpkb.scripts.diff import find_code_lines

MAX_TITLE = 90
MAX_IN_SHORT_LINES = 20
# Sections whose Python blocks a reader pastes into a training script.
_PASTED_SECTIONS = ("In short", "Fix", "How to check your own code")
_LIBRARIES = (
    "torch",
    "nn",
    "F",
    "dist",
    "optim",
    "np",
    "numpy",
    "cv2",
    "PIL",
    "torchvision",
    "transforms",
    "transformers",
    "datasets",
    "accelerate",
    "albumentations",
    "lightning",
    "pl",
)
# Words that look like API names: a.b, snake_case, call(), CamelCase.
_API_NAME = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z0-9]\w*_\w+|[A-Za-z_]\w*(?=\(\))"
    r"|\b[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+",
    re.ASCII,
)


def find_page_problems(entry: Entry, sources: dict[str, str]) -> Iterator[Problem]:
    """Every rule that the page breaks. sources: the text of each of its scripts, by name."""
    yield from _find_length_problems(entry)
    for section in entry.sections:
        if section.heading in _PASTED_SECTIONS:
            for block in body.find_code_blocks(section.text):
                if block.language == "python":
                    yield from _find_block_problems(entry, section, block, sources)
    yield from _find_search_word_problems(entry, sources)
    yield from _find_signature_problems(entry)


def _find_length_problems(entry: Entry) -> Iterator[Problem]:
    if len(entry.title) > MAX_TITLE:
        message = f"{len(entry.title)} characters, at most {MAX_TITLE}: shorten it"
        yield Problem(entry.path, message, entry.key_lines.get("title"), "title")
    for section in entry.sections:
        count = len(section.text.splitlines())
        if section.heading == "In short" and count > MAX_IN_SHORT_LINES:
            message = f"In short has {count} lines, at most {MAX_IN_SHORT_LINES}: shorten it"
            yield Problem(entry.path, message, section.line)


def _find_block_problems(
    entry: Entry, section: Section, block: CodeBlock, sources: dict[str, str]
) -> Iterator[Problem]:
    line = section.line + block.line
    try:
        tree = ast.parse(textwrap.dedent(block.text))
    except SyntaxError as error:
        message = f"the code block does not parse by itself: {error.msg}; write whole statements"
        yield Problem(entry.path, message, line)
        return
    block_lines = _strip_code(textwrap.dedent(block.text))
    scripts = [source for source in sources.values() if _is_subsequence(block_lines, _strip_code(source))]
    if not scripts:
        yield Problem(
            entry.path,
            "the code block has not been run: its lines must be lines of one of the "
            f"scripts, in their order; {_explain_not_run(block_lines, sources)}",
            line,
        )
        return
    missing = min((_find_missing_names(tree, source) for source in scripts), key=len)
    if missing:
        yield Problem(
            entry.path,
            f"the code block uses {', '.join(missing)}, which its script imports or "
            "defines: add those lines to the block",
            line,
        )


def _strip_code(source: str) -> list[str]:
    """The lines of code without indentation; empty for a text that does not parse."""
    try:
        return [stripped for _, line in find_code_lines(source) if (stripped := line.strip())]
    except (SyntaxError, ValueError, RecursionError):
        return []


def _is_subsequence(block_lines: list[str], lines: list[str]) -> bool:
    remaining = iter(lines)
    return all(line in remaining for line in block_lines)


def _explain_not_run(block_lines: list[str], sources: dict[str, str]) -> str:
    """Why no script contains these lines in this order."""
    script_lines = {line for source in sources.values() for line in _strip_code(source)}
    foreign = [line for line in block_lines if line not in script_lines]
    return f"no script has {foreign[0]!r}" if foreign else "no single script has all of them in this order"


def _find_missing_names(block: ast.Module, source: str) -> list[str]:
    """The names that the block uses, and that the script imports or defines outside of the block."""
    try:
        script = ast.parse(source)
    except SyntaxError:
        return []
    provided = {name for node in script.body for name in _find_bound_names(node)}
    bound = {name for node in ast.walk(block) for name in _find_bound_names(node)}
    bound |= {n.id for n in ast.walk(block) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in ast.walk(block) if isinstance(n, ast.arg)} | set(dir(builtins))
    used = [n.id for n in ast.walk(block) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return [name for name in dict.fromkeys(used) if name in provided and name not in bound]


def _find_bound_names(node: ast.AST) -> list[str]:
    """The names that an import, a function or a class binds."""
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    return []


def _find_search_word_problems(entry: Entry, sources: dict[str, str]) -> Iterator[Problem]:
    """Search words that lead to the page although neither the page nor a script mentions them."""
    path = file_beside(entry.path, SEARCH_SUFFIX)
    lines = _collect_page_lines(entry, sources)
    for number, signature in enumerate(entry.signatures):
        pattern = matching.compile_pattern(signature.match)
        if not any(pattern.search(line) for line in lines):
            key = f"signatures[{number}]"
            message = (
                f"neither the page nor a script has a line that matches {signature.match!r}: quote "
                "the message on the page"
            )
            yield Problem(path, message, entry.key_lines.get(key), key)
    page = "\n".join(lines).lower()
    for key, words in (("keywords", entry.keywords), ("asked_as", entry.asked_as)):
        for number, word in enumerate(words):
            for name in _API_NAME.findall(word):
                # A question may name something that only its author's program has, such as model.layer4.
                is_api = key == "keywords" or name.split(".")[0] in _LIBRARIES
                if is_api and name.rsplit(".", 1)[-1].lower() not in page:
                    message = f"neither the page nor a script mentions {name!r} of {word!r}: explain it there"
                    yield Problem(path, message, entry.key_lines.get(f"{key}[{number}]"), key)


def _find_signature_problems(entry: Entry) -> Iterator[Problem]:
    """Signatures that the site could not use to diagnose a log."""
    for number, signature in enumerate(entry.signatures):
        for pattern in (signature.match, signature.near):
            if unknown := javascript.find_unknown_syntax(pattern):
                key = f"signatures[{number}]"
                message = f"JavaScript does not know {unknown} in {pattern!r}: write it in another way"
                yield Problem(
                    file_beside(entry.path, SEARCH_SUFFIX),
                    message,
                    entry.key_lines.get(key),
                    key,
                )


def _collect_page_lines(entry: Entry, sources: dict[str, str]) -> list[str]:
    """Every line of the page and of the scripts, and an example of each error message that they declare."""
    lines = [entry.title, entry.summary]
    lines += [line for section in entry.sections for line in section.text.splitlines()]
    lines += [other.check for other in entry.confused_with] + [source.title for source in entry.sources]
    lines += [script.claim for script in entry.scripts]
    lines += [pattern.example for script in entry.scripts for pattern in script.patterns]
    return lines + [line for source in sources.values() for line in source.splitlines()]
