"""Measures how long the build of the documentation site takes, by the number of its entries.

    python -m bench.site                      200, 500, 1,000 and 2,000 entries
    python -m bench.site --entries 120 300    other sizes

Entries beyond those of the catalogue are copies under other ids: their texts, scripts, links and recorded
runs are real. The time of tools.site, which writes the pages, and that of mkdocs are printed separately.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from bench.timing import time_process
from dpkb.catalogue.load import load
from dpkb.model import Entry
from dpkb.paths import find_built_in_catalogue

ROOT = Path(__file__).resolve().parent.parent


def copy_catalogue(folder: Path, real: list[Entry], count: int) -> None:
    """Write a catalogue of `count` copies of the real entries, each under another id."""
    (folder / "reproducers").mkdir(parents=True)
    (folder / "kb").mkdir()
    ids: list[tuple[str, str]] = []
    while len(ids) < count:
        batch = real[: count - len(ids)]
        # Links lead to the copies of this batch, or else to the real entries.
        names = {entry.id: rename(entry.id, len(ids) // len(real) + 1) for entry in batch}
        for entry in batch:
            copy_entry(folder, entry, names)
        ids += names.items()
    copy_evidence(folder, ids)


def copy_entry(folder: Path, entry: Entry, names: dict[str, str]) -> None:
    """Copy an entry and its scripts under another id. names: the new id of each entry that has one."""
    stem = f"{names[entry.id].lower()}_{entry.path.stem.split('_', 1)[1]}"
    for ending in (".md", ".search.yaml"):
        text = re.sub(
            r"\b[A-Z]+\d+\b",
            lambda match: names.get(match[0], match[0]),
            entry.path.with_suffix(ending).read_text(),
        )
        (folder / "kb" / f"{stem}{ending}").write_text(text)
    scripts = folder / "reproducers" / stem
    shutil.copytree(ROOT / "reproducers" / entry.path.stem, scripts)
    for script in scripts.glob("*.py"):
        title, rest = script.read_text().split("\n", 1)
        title = title.replace(f"{entry.id}: ", f"{names[entry.id]}: ")[:100]  # a longer line is refused
        script.write_text(f"{title}\n{rest}")


def rename(entry_id: str, batch: int) -> str:
    """The id of a copy, in another family, whose page does not name the original: ZADP7, ZBDP7 ..."""
    return f"Z{chr(64 + batch)}{entry_id}"


def copy_evidence(folder: Path, ids: list[tuple[str, str]]) -> None:
    """Copy the recorded runs under the new ids. The scripts are the same, so the runs hold for them."""
    (folder / "evidence").mkdir()
    for path in (ROOT / "evidence").glob("*.json"):
        document = json.loads(path.read_text())
        by_entry: dict[str, list[tuple[str, dict[str, object]]]] = {}
        for key, seen in document["scripts"].items():
            entry_id, script = key.split("/")
            by_entry.setdefault(entry_id, []).append((script, seen))
        document["scripts"] = {
            f"{new}/{script}": seen for old, new in ids for script, seen in by_entry.get(old, [])
        }
        (folder / "evidence" / path.name).write_text(json.dumps(document))


def main() -> None:
    """Print how long each size takes, in total and for each entry."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, nargs="+", default=[200, 500, 1000, 2000])
    real = list(load([find_built_in_catalogue()]))
    for count in parser.parse_args().entries:
        with tempfile.TemporaryDirectory(prefix="dpkb-bench-") as place:
            pages = Path(place, "pages")
            write = [sys.executable, "-m", "tools.site", "--out", str(pages)]
            if count > len(real):
                copy_catalogue(Path(place, "many"), real, count - len(real))
                write += ["--kb", f"{place}/many"]
            config = Path(place, "mkdocs.yml")
            text = (ROOT / "mkdocs.yml").read_text().replace("build/pages", str(pages))
            text = text.replace("site_dir: site", f"site_dir: {place}/site")
            config.write_text(text.replace("custom_dir: site_theme", f"custom_dir: {ROOT / 'site_theme'}"))
            mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", str(config)]
            pages_seconds, html_seconds = time_process(write).cpu, time_process(mkdocs).cpu
            built = len(list(Path(place, "site", "entries").glob("*.html")))
            if built != max(count, len(real)):
                raise SystemExit(f"{built} pages for {count} entries")
        print(
            f"{built:5} entries: tools.site {pages_seconds:.1f} s, mkdocs {html_seconds:.1f} s of CPU, "
            f"{(pages_seconds + html_seconds) / built * 1000:.0f} ms per entry",
            flush=True,
        )


if __name__ == "__main__":
    main()
