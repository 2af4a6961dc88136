"""Words with the same meaning."""

from dpkb.search.synonyms import list_synonyms


def test_synonyms_go_both_ways_and_never_name_the_term_itself():
    groups = list_synonyms()
    assert "stuck" in groups["hang"] and "卡住" in groups["hang"] and "oom" in groups["memory"]
    for term, others in groups.items():
        assert term not in others and len(set(others)) == len(others)
        assert all(term in groups[other] for other in others)
