"""dpkb: an executable error index for PyTorch training."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import dpkb.audit when it is used, so that `import dpkb` is enough."""
    if name == "audit":
        import importlib

        return importlib.import_module("dpkb.audit")
    raise AttributeError(f"module 'dpkb' has no attribute {name!r}")


def load_ipython_extension(shell: object) -> None:
    """Explain the exceptions of a notebook's cells: `%load_ext dpkb`."""
    import importlib

    importlib.import_module("dpkb.notebook").load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Explain them no more."""
    import importlib

    importlib.import_module("dpkb.notebook").unload(shell)
