"""Phrases that several outputs share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dpkb.model import PLACES, VERSIONED_PACKAGES, Entry, FailureKind, Script
from dpkb.text import join_lines

_MANY_VERSIONS = re.compile(r"([\d.]+)(?:, [\d.]+){2,}, ([\d.]+)")


def format_repro_command(script: Script) -> str:
    """The command line that runs this script."""
    if script.name == "broken":
        return f"dpkb repro {script.entry}"
    if script.name == "fixed":
        return f"dpkb repro {script.entry} --fixed"
    return f"dpkb repro {script.entry} --script {script.name}"


def list_affected_versions(entry: Entry) -> str:
    """The versions that an entry names: "affects torch >=1.8, os linux"."""
    ranges = [f"{name.replace('_', ' ')} {value}" for name, value in entry.affects]
    return join_lines("affects " + ", ".join(ranges) if ranges else "affects every version")


def describe_affected(entry: Entry, versions: dict[str, str | None]) -> str:
    """Whether these versions are affected: "torch 2.4.1 here is affected"; empty without torch.

    The versions of the packages that the entry limits are named too.
    """
    if not versions.get("torch"):
        return ""
    affected = "is affected" if entry.affects_versions(versions) else "is not affected"
    limited = [name for name, _ in entry.affects if name not in (*VERSIONED_PACKAGES, *PLACES)]
    named = [f"{name} {versions[name]}" for name in ("torch", *limited) if versions.get(name)]
    return f"{' with '.join(named)} here {affected}"


def shorten_versions(text: str, between: str) -> str:
    """Shorten each list of four or more versions to its first and last version, with a word `between`."""
    return _MANY_VERSIONS.sub(rf"\1 {between} \2", text)


def list_finders(entry: Entry) -> str:
    """The commands that find the failure in code, a run or a log: "found by dpkb lint"; "" without any."""
    names = [name for name, _ in entry.found_by]
    if entry.kind is FailureKind.RAISES and any(not signature.weak for signature in entry.signatures):
        names.append("diagnose")
    return "found by " + ", ".join(f"dpkb {name}" for name in names) if names else ""


def describe_environment(environment: Mapping[str, Any], brief: bool = False) -> str:
    """An environment: "torch 2.4.1+cu121, torchvision 0.19.1, Python 3.11.7, linux, cpu".

    brief: without torchvision, build tags, and a device that is only the CPU.
    """
    torch, vision, device = (str(environment.get(key) or "") for key in ("torch", "torchvision", "device"))
    if brief:
        torch, vision, device = torch.split("+")[0], "", "" if device == "cpu" else device
    words = [
        f"torch {torch}",
        vision and f"torchvision {vision}",
        *_list_packages(environment),
        f"Python {environment['python']}",
        str(environment["os"]),
        device,
    ]
    return join_lines(", ".join(filter(None, words)))


def _list_packages(environment: Mapping[str, Any]) -> list[str]:
    """The packages whose versions --with chose: "transformers 4.46.3"."""
    return [f"{name} {version}" for name, version in environment.get("packages", {}).items()]


def format_environment_heading(environment: Mapping[str, Any]) -> str:
    """An environment as the heading of a narrow column: "2.4.1 py3.11"."""
    torch, python = str(environment["torch"]).split("+")[0], str(environment["python"]).rpartition(".")[0]
    device = "" if environment["device"] == "cpu" else f" {environment['device']}"
    return join_lines(" ".join((f"{torch} py{python}{device}", *_list_packages(environment))))
