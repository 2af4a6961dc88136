"""The markup that pages of the site may have; other markup is reported."""

import pytest
from support import markup_policy


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<script>alert(1)</script>", "<script src=None>"),
        ("<script src=../raw/ZZ1.md.txt></script>", "<script src="),
        ("<script src=//evil.example/assets/page.js></script>", "<script src="),
        ("<p onclick=x>", "<p onclick>"),
        ("<a href=javascript:x>", "<a href="),
        ("<img src=x>", "<img>"),
        ("<a href=//evil.example>", "<a href="),
        ("<style>", "<style>"),
        ("<p style=x>", "<p style>"),
        ("<meta http-equiv=refresh content=0>", "<meta http-equiv="),
        ("<base href=x>", "<base>"),
        ("<!-- -->", "a comment"),
    ],
)
def test_what_a_page_may_not_have_is_found(page, fault):
    assert any(found.startswith(fault) for found in markup_policy.find_page_faults(f"<p>{page}"))


def test_a_site_without_pages_is_a_fault(tmp_path):
    missing = tmp_path / "nothing_here"
    assert list(markup_policy.find_site_faults(missing)) == [f"{missing} has no HTML file"]
