import contextlib
import io

import pytest

with contextlib.redirect_stdout(io.StringIO()):
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", "."])
print("exit code", int(code))
