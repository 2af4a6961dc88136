#!/bin/sh
# Writes all.txt, every package of `make demo`, `make test` and `make site`, and quick.txt, those of `make quick`: pinned,
# with hashes, for every system and Python that dpkb supports, and without the address of any registry.
cd "$(dirname "$0")/.." || exit 1
compile() {
    out=$1
    shift
    uv pip compile pyproject.toml --universal --python-version 3.10 --generate-hashes --no-emit-index-url \
        --no-emit-find-links --no-header --no-annotate --output-file "requirements/$out" "$@"
}
compile all.txt --extra all --group test --group site "$@" && compile quick.txt --group quick --constraints requirements/all.txt
