# unittest.mock on functions of torch: with their signature, as a decorator, and by name.
import io
import unittest
from unittest import mock

import torch
import torch.nn.functional as F


class Tests(unittest.TestCase):
    def test_autospec(self):
        with mock.patch("torch.save", autospec=True) as save:
            torch.save({"a": 1}, "x")
            save.assert_called_once_with({"a": 1}, "x")
            with self.assertRaises(TypeError):
                torch.save()

    @mock.patch.object(torch.optim.SGD, "step", autospec=True)
    def test_step(self, step):
        layer = torch.nn.Linear(1, 1)
        torch.optim.SGD(layer.parameters(), lr=0.1).step()
        self.assertEqual(step.call_count, 1)

    def test_loss_in_script(self):
        with mock.patch.object(F, "mse_loss", return_value=torch.tensor(7.0)) as loss:
            torch.jit.script(torch.nn.ReLU())
            self.assertEqual(torch.nn.MSELoss()(torch.ones(1), torch.ones(1)).item(), 7.0)
        self.assertEqual(loss.call_count, 1)
        self.assertIsNot(F.mse_loss, loss)

    def test_wraps(self):
        with mock.patch("torch.load", wraps=torch.load) as load:
            buffer = io.BytesIO()
            torch.save(torch.ones(1), buffer)
            buffer.seek(0)
            torch.load(buffer)
        self.assertEqual(load.call_count, 1)


result = unittest.TextTestRunner(stream=io.StringIO()).run(
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests)
)
print(result)
for test, text in result.failures + result.errors:
    print(test.id(), text.strip().split("\n")[-1])
