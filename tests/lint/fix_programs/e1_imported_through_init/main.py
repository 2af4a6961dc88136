from toolbox import first

try:
    print(first())
except AttributeError:
    print("new")
