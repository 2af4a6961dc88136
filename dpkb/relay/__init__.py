"""The command of the user, run as if dpkb were not there: its output and its signals pass through."""
