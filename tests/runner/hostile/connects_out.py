import json
import os
import socket
import sys

reached = []
for host, port in (("127.0.0.1", int(os.environ["HOSTILE_PORT"])), ("192.0.2.1", 80), ("10.0.0.1", 53)):
    try:
        with socket.create_connection((host, port), timeout=2):
            reached.append(host)
    except TimeoutError:
        reached.append(host + " may be tried")
    except OSError:
        pass
listener = socket.create_server((socket.gethostbyname(socket.gethostname()), 0))
with socket.create_connection(listener.getsockname(), timeout=10):
    loopback = True
print("OBSERVED", json.dumps({"healthy": False, "reached": reached, "loopback": loopback}))
sys.exit(1)
