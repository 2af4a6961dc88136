"""The environments that --torch installed, as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from dpkb.run_records import TorchEnvironment


def environments_fields(environments: Sequence[TorchEnvironment]) -> dict[str, object]:
    """The JSON fields of `dpkb env list`."""
    return {
        "environments": [
            {"torch": environment.version, "folder": str(environment.folder), "bytes": environment.size}
            for environment in environments
        ]
    }


def render_environments(environments: Sequence[TorchEnvironment]) -> str:
    """A line for each environment: its torch, its size and its folder."""
    return "\n".join(
        f"torch {environment.version:<8} {_format_gib(environment.size):>5} GiB  {environment.folder}"
        for environment in environments
    )


def render_removal(version: str, freed: int) -> str:
    """What the removal of an environment freed, and how to free what uv keeps."""
    return (
        f"removed the environment for torch {version}; {_format_gib(freed)} GiB are free again. "
        "uv keeps the packages in its cache: `uv cache clean` frees them"
    )


def _format_gib(size: int) -> str:
    return f"{size / 2**30:.1f}"
