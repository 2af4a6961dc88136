"""The table of replaced functions."""

import pytest
from dpkb_audit import replaced
from dpkb_audit.start import attach

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.fixture
def watched(tmp_path):
    """The attachment of an audit that watches this process."""
    audit, attachment = attach(str(tmp_path))
    yield attachment
    attachment.detach()
    audit.dispatcher.closed = True


def test_each_replaced_function_has_a_reason_and_exists_in_this_torch_or_is_waited_for(watched):
    rows = replaced.list_replaced(watched)
    assert all(len(row.why) > 10 and (row.before or row.after or row.failed) for row in rows)
    names = {f"{owner.__name__}.{name}" for owner, name, _, _ in watched._installed}
    assert {"DataLoader.__init__", "Optimizer.zero_grad", "torch.nn.functional.cross_entropy"} <= names
    waiting = {row.module for row in rows} & {row.module for row in watched._waiting}
    assert waiting <= {"torch._dynamo.eval_frame", "torch._dynamo.convert_frame"}
