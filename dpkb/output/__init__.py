"""Results as text or JSON.

`x_fields(result)` returns the fields of its JSON document, `render_x(result)` its text, without a final
newline. Commands print them. Only progress and the output of a running script are printed here, and no file is
written.
"""
