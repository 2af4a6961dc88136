"""A question -> ranked entries."""

# How many hits a search shows if the user names no number, and the most that it shows.
DEFAULT_HITS, MAX_HITS = 5, 1000
