"""The documentation site: pages, pictures, search data."""
