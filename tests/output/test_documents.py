"""The version of JSON documents is written by one module."""

import ast
import json
from pathlib import Path

import dpkb
from dpkb.output.documents import VERSION, add_version, render_document

PACKAGE = Path(dpkb.__file__).parent


def test_a_document_starts_with_its_version():
    assert add_version({"a": 1}) == {"version": VERSION, "a": 1}
    text = render_document({"text": "é\ud800"})
    assert text.isascii() and json.loads(text) == {"version": 1, "text": "é\ud800"}


def test_no_command_and_no_output_writes_a_version_itself():
    found = []
    for path in [*(PACKAGE / "cli").glob("*.py"), *(PACKAGE / "output").glob("*.py")]:
        if path.name != "documents.py":
            found += [
                f"{path.name}:{node.lineno}"
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.Constant) and node.value == "version"
            ]
    assert found == []
