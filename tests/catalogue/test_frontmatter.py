"""YAML as plain values that remember their line; other text is refused with a line."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT

from dpkb.catalogue import frontmatter
from dpkb.catalogue.frontmatter import FrontMatterError, kind_of, load, split


def test_an_entry_is_front_matter_and_a_body_with_its_line():
    assert split("---\nid: A1\n---\n\n## In short\n---\n") == ("id: A1", "\n## In short\n---\n", 4)
    assert split("--- \n---") == ("", "", 3), "blanks after the dashes do no harm"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "first line must be ---"),
        ("\n---\na: 1\n---\n", "first line must be ---"),
        ("---\nid: A1\n", "never ends: add a line ---"),
        ("---\n" + "x" * 200_001 + "\n---\n", "200,001 characters, at most 200,000"),
    ],
)
def test_an_entry_without_front_matter_is_refused(text, says):
    with pytest.raises(FrontMatterError, match=says) as failure:
        split(text)
    assert failure.value.line == 1


def test_each_value_has_its_line_and_its_key():
    tree = load("id: A1\nscripts:\n  broken:\n    claim: |\n      it\n      fails\nlist:\n  - a\n  - b: c\n")
    scripts = tree.value["scripts"]
    claim = scripts.value["broken"].value["claim"]
    assert (scripts.line, claim.line, claim.key, claim.value) == (3, 5, "scripts.broken.claim", "it\nfails\n")
    second = tree.value["list"].value[1]
    assert (second.line, second.key, second.value["b"].key) == (10, "list[1]", "list[1].b")
    assert load("a: b", first_line=7).value["a"].line == 7


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("a: b", "b", "text"),
        ("a: '2.4'", "2.4", "text"),
        ("a: true", True, "the bool true"),
        ("a: off", False, "the bool false"),
        ("a:", None, "nothing"),
        ("a: ~", None, "nothing"),
        ("a: 2.4", None, "the float 2.4"),
        ("a: 3", None, "the int 3"),
        ("a: 2026-01-02", None, "the timestamp 2026-01-02"),
        ("a: []", [], "a list"),
        ("a: {}", {}, "a mapping"),
        ("a: !!str 3", "3", "text"),
        ("a: !odd x", None, "the !odd x"),
    ],
)
def test_only_what_is_text_is_read_as_text(text, value, kind):
    read = load(text).value["a"].value
    assert kind_of(read) == kind
    assert read == value if value is not None else not isinstance(read, str)


@pytest.mark.parametrize(
    ("text", "line", "key", "says"),
    [
        ("a: 1\nb: [1", 4, None, "not valid YAML"),
        ("a: 1\na: 2", 3, "a", "occurs twice"),
        ("a:\n  b: 1\n  b: 2", 4, "a.b", "occurs twice"),
        ("a: &x [*x]", 2, "a[0]", "aliases"),
        ("a: 1\n---\nb: 2", 3, None, "second YAML document"),
        ("- a", 2, None, "must be a mapping"),
        ("", 2, None, "must be a mapping"),
        ("? [a]\n: b", 2, None, "a key must be text"),
        ("a: " + "[" * 9 + "]" * 9, 2, "a" + "[0]" * 8, "nested too deeply"),
        ('a: "\\ud800"', 2, None, "character"),
    ],
)
def test_each_refusal_has_a_line(text, line, key, says):
    with pytest.raises(FrontMatterError, match=says) as failure:
        load(text)
    assert (failure.value.line, failure.value.key) == (line, key)


def test_an_alias_bomb_is_refused_at_once():
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20)
    )
    with pytest.raises(FrontMatterError, match="anchors"):
        load(bomb)


@pytest.mark.parametrize(
    ("front", "why"),
    [
        ('a: "\\ud800"', "half a character|invalid Unicode character"),
        ('"\\udfff": 1', "half a character|invalid Unicode character"),
        ("a: " + "[" * 50_000, "nest"),
        ("a: &x [*x]", "anchors and aliases are not allowed"),
        ("- a", "must be a mapping"),
        ("", "must be a mapping"),
        ("a: 1\na: 2", "this key occurs twice"),
        ("a: 1\n---\nb: 2", "a second YAML document"),
        ("? [a]\n: b", "a key must be text"),
    ],
    ids=lambda value: value[:12],
)
@pytest.mark.parametrize("loader", [yaml.SafeLoader, frontmatter.LOADER])
def test_both_yaml_parsers_refuse_what_is_not_an_entry(monkeypatch, loader, front, why):
    """PyYAML has its own parser where libyaml is missing."""
    monkeypatch.setattr(frontmatter, "LOADER", loader)
    with pytest.raises(frontmatter.FrontMatterError, match=why):
        frontmatter.load(front)


YAML_FILES = sorted(
    [*ROOT.glob("kb/**/*.md"), *ROOT.glob("kb/*.yaml"), *ROOT.glob("reproducers/*/claims.yaml")]
)


def test_both_yaml_parsers_read_the_same_in_every_file_of_the_catalogue(monkeypatch):
    texts = [path.read_text() for path in YAML_FILES]
    texts = [
        split(text)[0] if path.suffix == ".md" else text for path, text in zip(YAML_FILES, texts, strict=True)
    ]
    with_libyaml = list(map(load, texts))
    monkeypatch.setattr(frontmatter, "LOADER", yaml.SafeLoader)
    for path, text, expected in zip(YAML_FILES, texts, with_libyaml, strict=True):
        assert load(text) == expected, path


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_front_matter_is_read_or_refused(text):
    try:
        assert isinstance(frontmatter.load(text).value, dict)
    except frontmatter.FrontMatterError as error:
        assert error.line >= 1 and "\n" not in str(error)
