"""Real entries, questions, logs, scripts and evidence, from which the fuzzer makes hostile input."""

from __future__ import annotations

import json
import re
from functools import cached_property

import yaml

from dpkb.catalogue import frontmatter, load
from dpkb.catalogue.parse import CLAIMS_NAME
from dpkb.diagnosis import match as diagnose
from dpkb.paths import REPRODUCERS_FOLDER, find_built_in_catalogue
from dpkb.search import build


class Corpus:
    """The entries of the catalogue and their parts, read when they are needed."""

    @cached_property
    def entries(self) -> list[str]:
        return [p.read_text(encoding="utf-8") for p in load.list_entry_files(find_built_in_catalogue())]

    @cached_property
    def other_files(self) -> list[tuple[str, str | None]]:
        """The search file and claims.yaml of each entry; None for an entry without claims.yaml."""
        folder = find_built_in_catalogue()
        return [
            (
                path.with_name(path.stem + load.SEARCH_SUFFIX).read_text(encoding="utf-8"),
                claims.read_text(encoding="utf-8") if claims.exists() else None,
            )
            for path in load.list_entry_files(folder)
            for claims in [folder / REPRODUCERS_FOLDER / path.stem / CLAIMS_NAME]
        ]

    @cached_property
    def fronts(self) -> list[str]:
        return [frontmatter.split(text)[0] for text in self.entries]

    @cached_property
    def trees(self) -> list[dict]:
        return [yaml.load(front, Loader=yaml.CSafeLoader) for front in self.fronts]

    @cached_property
    def catalogue(self) -> load.Catalogue:
        return load.load([find_built_in_catalogue()])

    @cached_property
    def connection(self):
        return build.build(self.catalogue, {"unreadable": "0"}, None)

    @cached_property
    def signatures(self) -> diagnose.Signatures:
        return diagnose.Signatures(self.catalogue)

    @cached_property
    def questions(self) -> list[str]:
        return [text for entry in self.catalogue for text in (entry.title, *entry.asked_as, *entry.keywords)]

    @cached_property
    def patterns(self) -> list[str]:
        return [p.match for entry in self.catalogue for p in entry.signatures]

    @cached_property
    def logs(self) -> list[bytes]:
        fenced = re.compile(r"```text\n(.*?)```", re.S)
        blocks = [block.encode() for text in self.entries for block in fenced.findall(text)]
        words = [p.words.encode() for entry in self.catalogue for p in entry.signatures]
        return blocks + words

    @cached_property
    def scripts(self) -> list[tuple]:
        return [
            (script, script.path.read_text(encoding="utf-8"))
            for entry in self.catalogue
            for script in entry.scripts
        ]

    @cached_property
    def evidence(self) -> list[dict]:
        """Each file of evidence with its first three runs, since all runs look alike."""
        paths = sorted((find_built_in_catalogue() / "evidence").glob("*.json"))
        files = [json.loads(path.read_text()) for path in paths]
        return [{**file, "scripts": dict(list(file["scripts"].items())[:3])} for file in files]


CORPUS = Corpus()
