"""H1: a collator that pads the labels as well, with -100.

DataCollatorForTokenClassification and DataCollatorForSeq2Seq pad the labels with -100, which the
loss ignores.

Symptom: none: two steps
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python fix_pad_labels.py
"""
import json
import sys
import tempfile

try:
    import accelerate  # noqa: F401: Trainer needs it
    from datasets import Dataset
    from tokenizers import Tokenizer, models
    from transformers import (BertConfig, BertForTokenClassification, PreTrainedTokenizerFast,
                              DataCollatorForTokenClassification, Trainer, TrainingArguments)
except ImportError:
    print("SKIPPED transformers, accelerate or datasets is not installed")
    sys.exit(77)

num_steps = 2
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)

if __name__ == "__main__":
    rows = [{"input_ids": [1] * (n + 1), "labels": [0] * (n + 1)} for n in range(8)]
    dataset = Dataset.from_list(rows)
    model = BertForTokenClassification(config)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel({"[PAD]": 0}, "[PAD]")), pad_token="[PAD]")
    pad = DataCollatorForTokenClassification(tokenizer)  # FIX: the labels as well
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, per_device_train_batch_size=4,
                                 save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset,
                          data_collator=pad)
        loss = trainer.train().training_loss

    healthy = trainer.state.global_step == num_steps and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
