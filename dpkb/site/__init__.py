"""The documentation site: pages, pictures, feed."""
