import lightning as L


def fit(trainer: L.Trainer, model, path):
    trainer.fit(model)
    if trainer.is_global_zero:
        trainer.save_checkpoint(path)  # BUG
        print("saved", path)
    trainer.strategy.barrier()
