"""E4: an encoder-decoder is loaded with AutoModelForSeq2SeqLM.

The line architectures of config.json names the class that was saved.

Symptom: none: a T5ForConditionalGeneration
Needs:   torch, transformers; cpu; about 10 s
Run:     python broken_other_task.py; python fix_other_task.py
"""
import json
import sys
import tempfile

try:
    from transformers import AutoModelForSeq2SeqLM, T5Config, T5ForConditionalGeneration
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

small = T5Config(vocab_size=8, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=1,
                 decoder_start_token_id=0)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        T5ForConditionalGeneration(small).save_pretrained(folder)
        model = AutoModelForSeq2SeqLM.from_pretrained(folder)  # FIX: the task of T5

    name = type(model).__name__
    healthy = name == "T5ForConditionalGeneration"

    print("OBSERVED", json.dumps({"healthy": healthy, "model": name}))
    sys.exit(0 if healthy else 1)
