import sys

block = b"x" * 65536 + b"\n"
while True:
    sys.stdout.buffer.write(block)
