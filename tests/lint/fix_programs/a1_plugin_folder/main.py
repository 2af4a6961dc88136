import pkgutil

import plugins

for _, name, _ in pkgutil.iter_modules(plugins.__path__):
    module = __import__(f"plugins.{name}", fromlist=[name])
    try:
        print(name, module.run())
    except RuntimeError:
        print(name, "refused")
