#!/bin/sh
# Writes requirements/all.txt: every package of `make demo`, `make test` and `make site`, pinned, with hashes,
# for every system and Python that dpkb supports, and without the address of any registry.
cd "$(dirname "$0")/.." || exit 1
exec uv pip compile pyproject.toml --extra all --group test --group site --universal --python-version 3.10 \
    --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
    --output-file requirements/all.txt "$@"
