import array
import os
import socket
import time

# Files in memory that are open in no process: their descriptors wait in a socket.
kept = []
for number in range(64):
    file = os.memfd_create(str(number))
    os.write(file, b"x" * (8 << 20))
    if number % 8 == 0:  # a socket takes only a few
        kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
    kept[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))])
    os.close(file)
time.sleep(600)
