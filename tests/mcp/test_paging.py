"""An answer has a bounded size, and nothing of its list is lost between its pages."""

import json

from dpkb.mcp.paging import MAX_CHARACTERS, render_page, render_whole


def test_a_page_has_as_many_items_as_fit():
    items = [{"number": number, "text": "x" * 3000} for number in range(40)]
    seen, offset = [], 0
    while offset is not None:
        text = render_page({"items": items, "more": "kept"}, "items", offset, 100)
        assert len(text) <= MAX_CHARACTERS
        answer = json.loads(text)
        assert answer["more"] == "kept" and answer["version"] == 1 and answer["page"]["total"] == 40
        seen += answer["items"]
        offset = answer["page"]["next_offset"]
    assert seen == items


def test_without_a_next_page_texts_are_shortened_before_items_are_left_out():
    for count, shown in (50, 50), (500, 1):
        items = [{"number": number, "text": "x" * 3000} for number in range(count)]
        text = render_page({"findings": items}, "findings", 0, count, has_next=False)
        answer = json.loads(text)
        assert len(text) <= MAX_CHARACTERS and len(answer["findings"]) >= shown
        assert answer["page"] == {"of": "findings", "offset": 0, "total": count, "next_offset": None}


def test_mappings_have_pages_too():
    answer = json.loads(render_page({"rows": {str(n): n for n in range(9)}}, "rows", 3, 2))
    assert answer["rows"] == {"3": 3, "4": 4} and answer["page"]["next_offset"] == 5


def test_values_without_pages_are_shortened_and_say_so():
    others = {
        "files": {f"{n}.py": "unreadable" for n in range(5000)},
        "log": "y" * 10**6,
        "names": ["n"] * 1000,
    }
    items = [{"text": "z" * 10**6, "many": ["w" * 9000] * 500}]
    text = render_page({"items": items, **others}, "items", 0, 10)
    assert len(text) <= MAX_CHARACTERS
    answer = json.loads(text)
    assert answer["files"]["…"] == "4900 more" and answer["names"][-1] == "… 900 more"
    assert answer["log"].endswith("[999800 more characters]") and len(answer["items"]) == 1
    assert json.loads(render_whole({"log": "y" * 10**6}))["log"].endswith("[992000 more characters]")
