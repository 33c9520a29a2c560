"""IR to readable Python.

``emit`` turns a function that has been through the passes into text: ``order``, ``memory``,
``inline``, ``liveness`` and ``variables`` decide what stands where and under which name,
``expressions``, ``statements``, ``control`` and ``function`` build the syntax tree, ``layout``
adds comments and the line map. ``load`` makes a function of the text, ``export`` a module.
May import ``ir`` and ``ops``.
"""

from .export import module_text
from .function import Emitted, emit
from .linemap import LineMap
from .load import annotate, load, register

__all__ = ["Emitted", "LineMap", "annotate", "emit", "load", "module_text", "register"]
