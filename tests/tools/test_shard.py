"""The entries are spread over shards."""

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from tools.shard import main, select_shard


def test_each_entry_is_in_one_shard_and_each_shard_has_long_and_short_ones(tmp_path):
    for i in range(1, 7):
        write_catalogue(tmp_path, entry_id=f"ZZ{i}", seconds=i)
    catalogue = load([tmp_path])
    assert [select_shard(catalogue, i, 3) for i in (1, 2, 3)] == [
        ["ZZ6", "ZZ3"],
        ["ZZ5", "ZZ2"],
        ["ZZ4", "ZZ1"],
    ]


def test_the_shards_of_the_catalogue_are_printed(capsys):
    main(["2/40"])
    assert len(capsys.readouterr().out.split()) in (4, 5)


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/", "/4", "1", "a/b", "1/2/3", "1/0"])
def test_any_other_shard_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        main([text])
    assert "must be I/N" in capsys.readouterr().err
