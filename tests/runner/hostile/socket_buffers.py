import socket
import time

# Memory of the kernel, in the buffers of sockets.
kept = []
while len(kept) < 4000:
    pair = socket.socketpair()
    pair[0].setblocking(False)
    for end in pair:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    try:
        while True:
            pair[0].send(b"x" * 65536)
    except BlockingIOError:
        pass
    kept.append(pair)
time.sleep(600)
