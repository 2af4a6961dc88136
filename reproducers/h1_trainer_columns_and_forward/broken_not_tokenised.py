"""H1: the text was never tokenised, so no column of it reaches the model.

The text column is not a parameter of forward(), so Trainer drops it. Only the labels are left, and
the model gets no input_ids.

Symptom: ValueError: You must specify exactly one of input_ids or inputs_embeds
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken_not_tokenised.py; python fixed.py
"""
import json
import sys
import tempfile

try:
    import accelerate  # noqa: F401: Trainer needs it
    from datasets import Dataset
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers, accelerate or datasets is not installed")
    sys.exit(77)

num_steps = 2
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)

if __name__ == "__main__":
    rows = [{"text": "a film", "labels": n % 2} for n in range(8)]
    dataset = Dataset.from_list(rows)  # BUG: text, no input_ids
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, per_device_train_batch_size=4,
                                 save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        loss = trainer.train().training_loss

    healthy = trainer.state.global_step == num_steps and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
