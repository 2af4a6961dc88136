"""The command line: a module per command. main.py runs one, app.py and command_end.py are shared."""
