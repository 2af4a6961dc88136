"""JSON documents for other programs, and the instructions for coding agents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpkb.model import Certainty

# The version of all these documents. A new field does not change it; a changed or removed one does.
VERSION = 1
# Where the site is published, such as https://example.org/dpkb. Empty until it is: no address is invented.
SITE = ""


def add_version(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields of a result, with the version of the format."""
    return {"version": VERSION, **fields}


def render_document(fields: Mapping[str, object]) -> str:
    """A JSON document with these fields, in ASCII."""
    import json  # only here: a search without --json starts faster

    return json.dumps(add_version(fields), indent=2, ensure_ascii=True)


@cache
def find_site() -> str:
    """The address of the site without a closing slash: the project's (`[tool.dpkb] site`), or SITE."""
    from dpkb.errors import UsageError
    from dpkb.lint.settings import read_site

    try:
        return (read_site(Path.cwd()) or SITE).rstrip("/")
    except (UsageError, OSError):  # `dpkb lint` reports it; no other report shall fail of it
        return SITE


def url_fields(entry_id: str) -> dict[str, str]:
    """The address of an entry's page, as the field `url`; nothing while the site has no address."""
    site = find_site()
    return {"url": f"{site}/entries/{entry_id.lower()}.html"} if site else {}


def finding_fields(
    entry_id: str,
    title: str | None,
    certainty: Certainty,
    message: str,
    fix: str | None,
    where: Mapping[str, object],
    evidence: object,
) -> dict[str, object]:
    """The JSON fields of a finding. The keys are the same for `dpkb lint`, `dpkb audit` and `dpkb diagnose`.

    What is in `where` and `evidence` differs:
    - lint: file, line and column, in a notebook also cell; a list with the line of code.
    - audit: file, line, rank, worker, seen_in and step; an object, whose keys depend on the entry.
    - diagnose: only line, a line of the log; a list of lines of the log, with the signatures that match.
    The hints of lint and audit are such findings. Those of diagnose have other fields, with a list of ids.
    """
    return {
        "id": entry_id,
        "title": title,
        "certainty": certainty.value,
        "message": message,
        "where": where,
        "evidence": evidence,
        "fix": fix,
        "help": f"dpkb show {entry_id}",
        **url_fields(entry_id),
    }


def read_skill() -> str:
    """The text of SKILL.md, for coding agents."""
    return Path(__file__).with_name("SKILL.md").read_text(encoding="utf-8")
