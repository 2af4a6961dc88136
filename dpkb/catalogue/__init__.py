"""kb/ read, validated and extended: files -> records."""
