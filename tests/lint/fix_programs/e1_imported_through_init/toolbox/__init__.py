from .reading import first
