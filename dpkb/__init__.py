"""dpkb: an executable error index for PyTorch training."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import what is used, so that `import dpkb` is enough, also for `%load_ext dpkb`."""
    from importlib import import_module

    if name == "audit":
        return import_module("dpkb.audit")
    if name in ("load_ipython_extension", "unload_ipython_extension"):
        return getattr(import_module("dpkb.notebook"), name)
    raise AttributeError(f"module 'dpkb' has no attribute {name!r}")
