"""Builds the site with mkdocs."""

import os
import subprocess
import sys

from support import ROOT

CONFIG = (ROOT / "mkdocs.yml").read_text()


def build(pages, out, *more, **env):
    """Build the pages with the configuration of the site, and return `out`.

    more: more options of mkdocs; env: variables, such as SITE_URL.
    """
    config = pages.parent / "mkdocs.yml"
    text = CONFIG.replace("docs_dir: build/pages", f"docs_dir: {pages}").replace(
        "site_dir: site", f"site_dir: {out}"
    )
    config.write_text(text.replace("custom_dir: site_theme", f"custom_dir: {ROOT / 'site_theme'}"))
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config), *more],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr
    return out
