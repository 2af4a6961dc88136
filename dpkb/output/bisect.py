"""Between which releases of torch an outcome changed, as text or JSON."""

from __future__ import annotations

from dpkb.model import Script
from dpkb.run_records import OutcomeChange


def bisect_fields(script: Script, change: OutcomeChange) -> dict[str, object]:
    """The JSON fields of `dpkb bisect`."""
    return {
        "id": script.entry,
        "script": script.name,
        "runs": [{"torch": version, "outcome": outcome} for version, outcome in change.runs],
        "changes_after": change.before,
        "changes_in": change.after,
    }


def render_bisect(script: Script, change: OutcomeChange) -> str:
    """A line for each run, then the change."""
    lines = [f"torch {version}: {outcome}" for version, outcome in change.runs]
    outcomes, name = dict(change.runs), f"{script.entry} {script.name}.py"
    if change.before is None or change.after is None:
        lines.append(f"{name}: the same at both ends; nothing between them was run")
    else:
        lines.append(
            f"{name}: {outcomes[change.before]} up to torch {change.before}, "
            f"{outcomes[change.after]} from torch {change.after} on"
        )
    return "\n".join(lines)
