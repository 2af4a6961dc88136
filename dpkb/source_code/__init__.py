"""Code of users: which files there are, and what they contain."""
