"""Measures how soon a page of the built site shows something on a slow connection, and how much it loads.

    make site
    python -m bench.page                                the pages that most readers see first
    python -m bench.page --runs 11 entries/dp9.html     other pages

A plain file server, which compresses nothing, sends the pages to a real Chromium with an empty cache and the
connection of a phone: 1.6 Mbit/s, 150 ms until a request is answered. Prints the median of several loads.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests"))

from support import browser  # noqa: E402

PAGES = (
    "index.html",
    "entries/dp1.html",
    "entries/dp2.html",
    "families/DP.html",
    "matrix.html",
)
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
PAINTED = (
    "const [entry] = performance.getEntriesByName('first-contentful-paint');return entry && entry.startTime"
)


def load_page(window: browser.Browser, address: str) -> tuple[float, int, int]:
    """Load a page; return the milliseconds until it shows something, its bytes, and its requests."""
    window.take_transfers()
    window.open(address)
    painted = window.until(PAINTED)
    if painted is None:
        raise SystemExit(f"{address}: Chromium painted nothing")
    sizes = window.take_transfers()
    return painted, sum(sizes.values()), len(sizes)


def main() -> None:
    """Print the measurements of each page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", default=PAGES)
    parser.add_argument("--site", type=Path, default=ROOT / "site")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    if reason := browser.explain_missing():
        raise SystemExit(reason)
    if not (options.site / "index.html").exists():
        raise SystemExit(f"{options.site}: no site here; run `make site` first")
    with browser.serve(options.site) as address, browser.Browser(width=412) as window:
        window.call_devtools("Network.setCacheDisabled", cacheDisabled=True)
        window.call_devtools("Network.emulateNetworkConditions", **SLOW)
        for page in options.pages:
            loads = [load_page(window, f"{address}/{page}") for _ in range(options.runs)]
            painted = sorted(milliseconds for milliseconds, _, _ in loads)
            _, size, requests = loads[-1]
            print(
                f"{page:22} first paint {statistics.median(painted):5.0f} ms "
                f"({painted[0]:.0f} to {painted[-1]:.0f}), {size / 1000:.0f} kB in {requests} requests"
            )


if __name__ == "__main__":
    main()
