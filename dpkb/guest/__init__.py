"""Code that runs inside another interpreter: Python 3.8, standard library only, imports nothing of dpkb."""
