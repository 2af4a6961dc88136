"""Diagnoses several logs together, as `dpkb diagnose` does."""

from dpkb.catalogue.load import load
from dpkb.diagnosis import sources
from dpkb.diagnosis.conclusion import diagnose_files
from dpkb.diagnosis.match import Signatures
from dpkb.paths import find_built_in_catalogue

SIGNATURES = Signatures(load([find_built_in_catalogue()]))
LOST = "RuntimeError: [../gloo/transport/tcp/pair.cc:5] Connection closed by peer [10.0.0.2]:5033"
KEY_ERROR = 'Traceback (most recent call last):\n  File "fit.py", line 40, in step\n    x\nKeyError: 1\n'


def diagnosed(*paths):
    logs, _ = sources.list_logs(map(str, paths))
    return diagnose_files(logs, SIGNATURES, lambda log: open(log.path, "rb"))[0]


def written(tmp_path, **texts):
    """The diagnosis of files with these texts."""
    for name, text in texts.items():
        (tmp_path / f"{name}.log").write_text(text)
    return diagnosed(tmp_path)


def roles(diagnosis):
    return {end.rank: end.role for end in diagnosis.ranks}


def ids(diagnosis):
    return [match.id for match in diagnosis.matches]
