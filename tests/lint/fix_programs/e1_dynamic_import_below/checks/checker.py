from importlib import import_module

for name in ("net",):
    try:
        print(import_module(name).first())
    except AttributeError:
        print(name, "needs an older torch")
