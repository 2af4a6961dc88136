"""Programs run under limits, and judged."""
