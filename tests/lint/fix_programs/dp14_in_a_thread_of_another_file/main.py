import threading

from job import load

errors = []
threading.excepthook = lambda args: errors.append(args.exc_type.__name__)
thread = threading.Thread(target=load, args=([1],))
thread.start()
thread.join()
print(errors)
