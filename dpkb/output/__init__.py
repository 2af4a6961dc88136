"""Results as text or JSON."""
