"""The search data of the pages: its indices are within their lists."""

import random

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
    assert entries[0][4] == "entries/zz0.html"
    numbers = [unpack(text) for text in (*data["lines"], data["impacts"], *data["distances"])]
    assert max(max(row) for row in numbers[:3]) <= len(data["terms"]) == len(data["distances"])
    assert len(numbers[3]) == sum(map(len, numbers[4:]))
    lines = " ".join(data["terms"][i - 1] if i else "/" for i in numbers[0])
    assert " / one / two / thr / " in lines
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


def unpack(text):
    return [91 * (ord(high) - 35) + ord(low) - 35 for high, low in zip(text[::2], text[1::2], strict=True)]


def test_packed_numbers_and_encoded_bytes_are_whole():
    numbers = [0, 90, 91, 8280, 8281, 14_836, 100_000]
    assert unpack(search_data.pack(numbers)) == numbers
    for size in range(40):
        data = random.Random(size).randbytes(size)
        text = search_data.encode(data)
        bits = "".join(f"{ord(character) - 1:07b}" for character in text)
        assert bytes(int(bits[i : i + 8], 2) for i in range(0, 8 * len(data), 8)) == data
        assert len(text) * 7 // 8 == size, "the page computes the number of bytes so"
