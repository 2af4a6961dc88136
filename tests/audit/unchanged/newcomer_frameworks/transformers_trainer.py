# The Hugging Face Trainer trains a tiny random GPT-2 with a callback; the logged losses and the callbacks are printed.
# needs: transformers accelerate
import os
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

warnings.simplefilter("ignore")
transformers.logging.set_verbosity_error()
torch.set_num_threads(1)
transformers.set_seed(0)
model = GPT2LMHeadModel(GPT2Config(vocab_size=20, n_positions=8, n_embd=8, n_layer=1, n_head=2))
data = [{"input_ids": torch.arange(6) + i % 4, "labels": torch.arange(6) + i % 4} for i in range(8)]
events = []


class Log(TrainerCallback):
    def __getattribute__(self, name):
        if name.startswith("on_"):
            events.append(name)
        return super().__getattribute__(name)


args = TrainingArguments("out", max_steps=3, per_device_train_batch_size=2, logging_steps=1, save_strategy="no",
                         report_to=[], disable_tqdm=True, use_cpu=True, learning_rate=0.01)
trainer = Trainer(model=model, args=args, train_dataset=data, eval_dataset=data[:2], callbacks=[Log()])
trainer.remove_callback(transformers.PrinterCallback)
trainer.train()
print([x["loss"] for x in trainer.state.log_history if "loss" in x])
print([x.get("grad_norm") for x in trainer.state.log_history if "loss" in x])
print(sorted(set(events)), len(events))
print(sorted(k for k in trainer.evaluate() if "second" not in k and "runtime" not in k), trainer.state.global_step)
print(model.transformer.wte.weight.sum().item().hex(), type(trainer.optimizer).__name__)
