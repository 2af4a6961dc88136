"""The answers of dpkb for coding agents, over the Model Context Protocol."""
