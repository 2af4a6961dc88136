"""The search data of the pages: its indices are within their lists."""

import base64
import json
import zlib

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from tools.site import search_data


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogue")
    signatures = "signatures: [{match: 'it failed'}, {match: '^Killed', near: 'memory', weak: true}]"
    for number in range(3):
        write_catalogue(folder, f"ZZ{number}", search=SEARCH.replace("signatures: []", signatures))
    return load([folder])


def test_every_index_is_in_its_list(catalogue):
    data = search_data.collect(catalogue)
    entries, diagnosis = data["entries"], data["diagnosis"]
    assert [entry[0] for entry in entries] == ["ZZ0", "ZZ1", "ZZ2"]
    assert entries[0][4] == "entries/zz0.html" and ["keyword", "one\ntwo\nthree"] in entries[0][5]
    patterns = [source for source, _ in diagnosis["patterns"]]
    assert patterns == ["it failed", "^Killed", "memory"]
    assert [row[:2] for row in diagnosis["signatures"]] == [[0, -1], [1, 2]]
    assert [row[3] for row in diagnosis["signatures"]] == [[0, 1, 2]] * 2
    assert diagnosis["signatures"][0][2] > diagnosis["signatures"][1][2], "a weak one counts less"


def test_the_file_is_one_script_and_the_same_each_time(catalogue, tmp_path):
    texts = []
    for name in ("a.js", "b.js"):
        search_data.write(catalogue, tmp_path / "assets" / name)
        texts.append((tmp_path / "assets" / name).read_text())
    assert texts[0] == texts[1] and texts[0].count("\n") == 1
    assert texts[0].startswith('window.DPKB_SEARCH = "')
    packed = texts[0].partition('"')[2].rpartition('"')[0]
    assert json.loads(zlib.decompress(base64.b64decode(packed))) == json.loads(
        json.dumps(search_data.collect(catalogue))
    )
