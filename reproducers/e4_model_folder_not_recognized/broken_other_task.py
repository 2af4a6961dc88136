"""E4: an encoder-decoder is loaded with the Auto class of decoders.

Each Auto class knows the models of one task. The type of the model is known, but not for this task.

Symptom: ValueError: Unrecognized configuration class ... for this kind of AutoModel
Needs:   torch, transformers; cpu; about 10 s
Run:     python broken_other_task.py; python fix_other_task.py
"""
import json
import sys
import tempfile

try:
    from transformers import AutoModelForCausalLM, T5Config, T5ForConditionalGeneration
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

small = T5Config(vocab_size=8, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=1,
                 decoder_start_token_id=0)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        T5ForConditionalGeneration(small).save_pretrained(folder)
        model = AutoModelForCausalLM.from_pretrained(folder)  # BUG: not the task of T5

    name = type(model).__name__
    healthy = name == "T5ForConditionalGeneration"

    print("OBSERVED", json.dumps({"healthy": healthy, "model": name}))
    sys.exit(0 if healthy else 1)
