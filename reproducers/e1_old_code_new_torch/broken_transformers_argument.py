"""E1: TrainingArguments of a newer transformers does not know evaluation_strategy.

The argument was renamed to eval_strategy, and the old name was removed later.

Symptom: TypeError: ... got an unexpected keyword argument 'evaluation_strategy'
Needs:   torch, transformers, accelerate; cpu; about 8 s
Run:     python broken_transformers_argument.py; python fix_transformers_argument.py
"""
import json
import sys
import tempfile

try:
    import accelerate  # noqa: F401: TrainingArguments needs it
    from transformers import TrainingArguments
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(output_dir=folder, evaluation_strategy="epoch")  # BUG

    healthy = arguments.do_eval
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
