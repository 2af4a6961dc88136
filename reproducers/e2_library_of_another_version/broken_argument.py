"""E2: Trainer has no argument tokenizer from transformers 5 on.

It was renamed to processing_class in 4.46, and the old name was removed in 5.0.

Symptom: TypeError: Trainer.__init__() got an unexpected keyword argument 'tokenizer'
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python broken_argument.py; python fix_argument.py; diff broken_argument.py fix_argument.py
"""
import json
import sys
import tempfile

import torch

try:
    import accelerate  # noqa: F401: Trainer needs it
    import transformers
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)

if int(transformers.__version__.split(".")[0]) < 5:
    print("SKIPPED transformers 4 accepts the old name")
    sys.exit(77)


class Tokenizer:
    padding_side = "right"

    def save_pretrained(self, folder):
        pass


if __name__ == "__main__":
    tokenizer = Tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        args = transformers.TrainingArguments(folder, report_to=[], use_cpu=True)
        trainer = transformers.Trainer(model=torch.nn.Linear(2, 1), args=args,
                                       tokenizer=tokenizer)  # BUG: was renamed

    healthy = trainer.processing_class is tokenizer
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
