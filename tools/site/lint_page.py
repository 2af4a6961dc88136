"""The page about `dpkb lint`: what each rule looks for, and what was found in public code."""

from __future__ import annotations

import json
from pathlib import Path

from dpkb.catalogue.load import Catalogue
from dpkb.lint.rules import all_rules
from tools.site.markdown import escape, render_heading, render_page, render_table

# Written by `python -m bench.lint --record`, with the number of wrong findings that a reader counted.
COUNTS = Path(__file__).resolve().parent / "lint_counts.json"


def render_lint_page(catalogue: Catalogue) -> str:
    """The page about `dpkb lint`, for mkdocs."""
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    rules = []
    for rule_id, rule in all_rules().items():
        entry = catalogue.entries.get(rule_id)
        if entry is None:
            continue
        count = counts["rules"].get(rule_id, {"findings": 0, "wrong": 0})
        rules.append(
            [
                f'<a href="entries/{rule_id.lower()}.html">{rule_id}</a>',
                dict(entry.found_by).get("lint", ""),
                escape(rule.looks_for),
                str(count["findings"]),
                str(count["wrong"]),
            ]
        )
    trees = [[escape(name), f"{lines:,}"] for name, lines in counts["trees"].items()]
    blocks = [
        render_heading(1, "What dpkb lint sees", "lint"),
        "<p><code>dpkb lint train.py</code> finds failures of this index in Python files and notebooks, "
        "before anything runs. <em>certain</em>: no reading of the code is right. <em>likely</em>: wrong in "
        "most programs. <em>hint</em>: worth a look, shown with <code>--hints</code>. <code>--fix</code> "
        "applies the corrections that are sure, <code>--diff</code> only prints them.</p>",
        render_heading(2, "The rules", "rules"),
        f"<p>The last two columns: version {escape(counts['version'])}, {escape(counts['date'])}, "
        f"{counts['findings']} findings in {counts['lines']:,} lines of {len(trees)} public repositories. "
        f"Each was read by hand; {counts['wrong']} are wrong.</p>",
        render_table(["id", "how sure", "looks for", "findings", "wrong"], rules),
    ]
    if counts["seconds"]:
        blocks += [
            render_heading(2, "Speed", "speed"),
            f"<p>Processor time of one process each on {escape(counts.get('timed_on', 'all trees'))} "
            f"({counts.get('timed_lines', counts['lines']):,} lines). Each looks for other "
            "things.</p>",
            render_table(
                ["checker", "seconds"],
                [[escape(name), f"{seconds:.1f}"] for name, seconds in counts["seconds"].items()],
            ),
        ]
    blocks += [
        render_heading(2, "The code that was read", "trees"),
        "<p>The newest stored state of each repository, all of its Python files, tests included.</p>",
        render_table(["repository", "lines"], trees),
    ]
    return render_page("What dpkb lint sees", blocks)
