import runpy

try:
    runpy.run_module("batches", run_name="__main__")
except AttributeError:
    print("new torch")
