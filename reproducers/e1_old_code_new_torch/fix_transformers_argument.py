"""E1: the arguments of TrainingArguments under their new names.

evaluation_strategy is eval_strategy now, and no_cuda is use_cpu.

Symptom: none: evaluation after each epoch, on the CPU
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
        arguments = TrainingArguments(output_dir=folder,
                                      eval_strategy="epoch",  # FIX: not evaluation_strategy
                                      use_cpu=True)  # FIX: not no_cuda

    healthy = arguments.do_eval and arguments.use_cpu
    print("OBSERVED", json.dumps({"healthy": healthy, "evaluates": arguments.do_eval}))
    sys.exit(0 if healthy else 1)
