import runpy

try:
    runpy.run_path("first.py")
except AttributeError as error:
    print(error)
