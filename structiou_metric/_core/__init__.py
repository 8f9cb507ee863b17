"""The compiled modules: flat arrays of numbers in, numbers out. Each also runs as it is written."""

import sys

# Those that every score needs, each after those that it needs itself. Compiled, they are one shared object
# with what Cython gives to all modules, `_cyutility`: opening one for each takes as long as all that they do.
# `setup.py` reads this list, too.
TOGETHER = (
    "texts",
    "flat",
    "interner",
    "scan",
    "suspects",
    "select",
    "gap",
    "chains",
    "tables",
    "spine",
    "solver",
    "trace",
    "align",
)

try:
    from ._cyutility import __spec__ as _shared
except ModuleNotFoundError:  # not compiled: each module is found as it is written
    _shared = None


def _load(name, shared):
    """Imports a module from the shared object that the spec of another one names."""
    name = f"{__name__}.{name}"
    # The classes of `importlib.machinery`, which need not be imported for that.
    spec = type(shared)(name, type(shared.loader)(name, shared.origin), origin=shared.origin)
    spec.has_location = True
    module = sys.modules[name] = spec.loader.create_module(spec)
    module.__spec__ = spec
    spec.loader.exec_module(module)
    return module


if _shared is not None:
    for _name in TOGETHER:
        globals()[_name] = _load(_name, _shared)
