import sys

block = b"x" * 65536 + b"\n"
while True:
    sys.stderr.buffer.write(block)
