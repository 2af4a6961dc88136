"""The pytest plugin: `pytest --dpkb-audit` fails a test whose training shows a failure of the catalogue."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --dpkb-audit."""
    parser.getgroup("dpkb").addoption(
        "--dpkb-audit",
        action="store_true",
        help="watch what each test trains, and fail it if that has a failure of dpkb's catalogue",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Run a test under the audit."""
    if not item.config.getoption("--dpkb-audit"):
        yield
        return
    from dpkb.audit import watch

    with watch(on_finding=None) as report:
        outcome = yield
    # A test that has failed says more by its own error.
    if report.findings and outcome.excinfo is None:
        lines = [
            f"{finding.id} {finding.certainty}: {finding.message}{finding.line_in_parentheses()}. "
            f"Fix: {finding.fix}. More: dpkb show {finding.id}"
            for finding in report.findings
        ]
        outcome.force_exception(pytest.fail.Exception("dpkb audit: " + "\n".join(lines), pytrace=False))
