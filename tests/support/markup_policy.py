"""The tags and attributes that a page of the site may have: nothing that runs, loads or redirects.

python tests/support/markup_policy.py site     every HTML file of a built site
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

_COMMON = frozenset({"id", "class", "lang"})
_SVG = _COMMON | {
    "x",
    "y",
    "width",
    "height",
    "rx",
    "d",
    "cx",
    "cy",
    "r",
    "fill",
    "fill-opacity",
    "text-anchor",
    "viewbox",
    "role",
    "aria-label",
}
# The tags of the pages that dpkb writes, and their attributes.
_CONTENT = {
    **dict.fromkeys(
        "p pre code em strong ul li blockquote table thead tbody tr th td span br hr h1 h2 h3 "
        "details summary noscript".split(),
        _COMMON,
    ),
    **dict.fromkeys("svg rect text path circle".split(), _SVG),
    "ol": _COMMON | {"start"},
    "a": _COMMON | {"href", "rel", "title", "aria-label"},
    "div": _COMMON | {"role", "aria-label", "data-index"},
    "section": _COMMON | {"aria-labelledby"},
}
# The tags that only the theme writes, and their attributes.
_THEME = {
    "html": {"lang"},
    "head": set(),
    "body": set(),
    "title": set(),
    "main": {"id"},
    "footer": set(),
    "header": {"class"},
    "nav": {"class", "aria-label"},
    "link": {"rel", "href", "type", "title"},
    "meta": {"charset", "name", "property", "content", "http-equiv"},
    "script": {"src", "defer"},
    "a": {"class", "href", "aria-current", "rel"},
}
_ADDRESS = re.compile(r"https?://\S*|#[\w-]*|#q=[\w+]+|(?!//)/?(?:\.{1,2}/)*[\w-][\w./-]*(?:#[\w-]*)?|\.")
# In 404.html, after the path at which the site is served.
_SCRIPT = re.compile(r"(?:/(?:[\w.-]+/)*|(?:\.{1,2}/)*)assets/[a-z-]+\.js")
# The start of the address of a page's icon, which has the image in it.
_ICON = "data:image/svg+xml,"


class _FaultCollector(HTMLParser):
    """Collects the tags and attributes of a text that are not allowed."""

    def __init__(self, allowed: dict[str, frozenset[str]]) -> None:
        super().__init__()
        self.faults: list[str] = []
        self._allowed = allowed

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        allowed, values = self._allowed.get(tag), dict(attrs)
        if allowed is None:
            self.faults.append(f"<{tag}>")
            return
        self.faults += [f"<{tag} {name}>" for name in values if name not in allowed]
        address = values.get("href") or ""
        if address and not _ADDRESS.fullmatch(address) and not (tag == "link" and address.startswith(_ICON)):
            self.faults.append(f"<{tag} href={address!r}>")
        if tag == "script" and not _SCRIPT.fullmatch(values.get("src") or ""):
            self.faults.append(f"<script src={values.get('src')!r}>")
        if tag == "meta" and values.get("http-equiv") not in (None, "Content-Security-Policy"):
            self.faults.append(f"<meta http-equiv={values.get('http-equiv')!r}>")

    def handle_comment(self, data: str) -> None:
        self.faults.append("a comment")

    def handle_pi(self, data: str) -> None:
        self.faults.append("a processing instruction")


def find_page_faults(text: str) -> list[str]:
    """The tags and attributes of an HTML file that no page of the site may have."""
    names = {*_CONTENT, *_THEME}
    return _find_faults(
        text, {tag: frozenset(_CONTENT.get(tag, ())) | frozenset(_THEME.get(tag, ())) for tag in names}
    )


def _find_faults(text: str, allowed: dict[str, frozenset[str]]) -> list[str]:
    collector = _FaultCollector(allowed)
    collector.feed(text)
    collector.close()
    return collector.faults


def find_site_faults(folder: Path) -> Iterator[str]:
    """The faults of every HTML file below a folder, one line each; a folder without any has a fault too."""
    paths = sorted(folder.rglob("*.html"))
    if not paths:
        yield f"{folder} has no HTML file"
    for path in paths:
        for fault in find_page_faults(path.read_text(encoding="utf-8")):
            yield f"{path}: not allowed: {fault}"


if __name__ == "__main__":
    sys.exit("\n".join(line for name in sys.argv[1:] for line in find_site_faults(Path(name))) or None)
