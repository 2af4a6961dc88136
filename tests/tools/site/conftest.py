"""The site of the catalogue, built once for all tests and processes that only read it."""

from pathlib import Path
from typing import NamedTuple

import pytest
from support import ROOT
from support.mkdocs import build
from support.shared import create_once

from dpkb.catalogue.load import load
from dpkb.evidence import store
from tools.site import pages


class BuiltSite(NamedTuple):
    """Two folders: the pages that dpkb writes, and the HTML that mkdocs builds of them."""

    pages: Path
    html: Path


@pytest.fixture(scope="session")
def built_site(tmp_path_factory):
    """The HTML is two folders below `served`, so that the site can also be served under a sub-path."""

    def create(folder):
        pages.write(load([ROOT]), store.load(ROOT), folder / "pages")
        build(folder / "pages", folder / "served/some/path")

    folder = create_once(tmp_path_factory, "site", create)
    return BuiltSite(folder / "pages", folder / "served/some/path")
